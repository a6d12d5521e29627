// Runs before the first paint, so a chosen theme does not flash.
try {
  document.documentElement.dataset.theme = JSON.parse(localStorage.getItem('candor.theme') || '"system"');
} catch { /* the system's theme applies */ }
