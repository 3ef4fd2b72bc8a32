import { expect, test } from "vitest";
import { structureOf } from "../../../infra/page/email-structure.ts";

type Tree = string | Tree[];

/** Writes an email. `["alternative", "text/plain", "text/html"]` is a multipart/alternative with two parts. */
const emailOf = (tree: Tree, depth = 0): string => {
  if (typeof tree === "string") return `Content-Type: ${tree}\r\n\r\nbody`;
  const [kind, ...children] = tree;
  const boundary = `boundary-${depth}`;
  const parts = children.map((child) => `--${boundary}\r\n${emailOf(child, depth + 1)}\r\n`);
  return `Content-Type: multipart/${kind}; boundary=${boundary}\r\n\r\n${parts.join("")}--${boundary}--\r\n`;
};

const [plain, html, png] = ["text/plain", "text/html", "image/png"];
const attached = "Content-Disposition: attachment";

test.each<[string, Tree, string]>([
  ["text and HTML are alternatives", ["alternative", plain, html], "replaced shown"],
  ["an HTML footer replaces nothing", ["mixed", plain, html], "shown shown"],
  ["a footer follows alternatives", ["mixed", ["alternative", plain, html], html, plain], "replaced shown shown shown"],
  ["HTML with its pictures", ["alternative", plain, ["related", html, png]], "replaced shown attached"],
  ["Apple Mail's text, picture, text", ["mixed", plain, png, plain], "shown attached shown"],
  ["without HTML, all is shown", ["alternative", plain, "text/calendar"], "shown shown"],
  ["an invitation", ["alternative", plain, html, "text/calendar"], "replaced shown replaced"],
  ["of two HTML texts, the last", ["alternative", html, html], "replaced shown"],
  ["alternatives within alternatives", ["alternative", plain, ["alternative", plain, html]], "replaced replaced shown"],
  ["an attached page replaces no text", ["alternative", plain, `${html}\r\n${attached}`], "shown attached"],
  ["an email that is one text", html, "shown"],
])("%s", (_, tree, expected) => {
  const leaves = structureOf(Buffer.from(emailOf(tree)))?.map(({ isInline, isReplaced }) => {
    const shown = isInline ? "shown" : "attached";
    return isReplaced ? "replaced" : shown;
  });

  expect(leaves?.join(" ")).toBe(expected);
});
