// What the tools of all programs do. A tool that sees the reason ends the program.
const files = { "notes.txt": "port: 8080", "more.txt": "port: 9090" };

function clean(input) {
  if ("rationale" in input) {
    console.error("a tool was given the reason");
    process.exit(3);
  }
}

export function look(input) {
  clean(input);
  if (!files[input.path]) throw new Error(`there is no ${input.path}`);
  return files[input.path];
}

export function count(input) {
  clean(input);
  return `${input.text.length} letters`;
}

export const prompt = "Which port is it?";
