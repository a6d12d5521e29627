// The key of the login, which goes with its cookie. Browsers send the cookie to every port
// of the host, but keep this storage for the page's origin, of which the port is a part. It
// is localStorage, not sessionStorage: the tabs of a browser share the cookie, and so they
// have to share the key; and both outlive the browser's window.

const name = 'candor.pagekey';
let held = '';

/** Returns the key, or '' if nobody is signed in. */
export function pageKey() {
  try { return localStorage.getItem(name) || ''; } catch { return held; }
}

/** @param {string} key '' forgets it */
export function keepPageKey(key) {
  held = key; // lasts until the page is left, where the browser lets the page keep nothing
  try {
    if (key) localStorage.setItem(name, key);
    else localStorage.removeItem(name);
  } catch { /* held has it */ }
}

/** @param {() => void} then runs when another tab has signed in or out */
export function onPageKey(then) {
  addEventListener('storage', (e) => { if (e.key === name || e.key === null) then(); });
}
