/** Whether a status is good news. */

export type Tone = "good" | "bad" | "wait" | "";

const tones = { bad: /bounce|fail|reject|spam/i, wait: /defer|queue|pending|held/i, good: /deliver|open|click/i };

export const toneOf = (status: string): Tone => {
  for (const tone of ["bad", "wait", "good"] as const) if (tones[tone].test(status)) return tone;
  return "";
};

export const statusClass = (status: string): string => `status ${toneOf(status)}`;
