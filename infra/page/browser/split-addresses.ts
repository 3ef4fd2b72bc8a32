import { inLink } from "../../cli/visible.ts";

const email = "[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63})+";
const addresses = new RegExp(`\\bhttps?://${inLink}+(?<![.,;:!?')\\]])|${email}`, "gu");
/** Each address becomes an element, and thousands of them slow the page. */
const maximumParts = 1000;

/** Splits a text at its email and web addresses: every second part is an address. */
export const splitAddresses = (text: string): string[] => {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(addresses)) {
    if (parts.length >= maximumParts) break;
    parts.push(text.slice(end, index), found);
    end = index + found.length;
  }
  return [...parts, text.slice(end)];
};
