/** What an enhanced status code means (RFC 3463 and IANA's registry), in a sentence for who answers the recipient. */

export type Explained = { code: string; short: string; meaning: string; advice: string };

const askAddress = "Sending again won't help; ask for another address.";
const tellRecipient = "The recipient can mend it; sending again helps only after that.";
const askPostmaster = "Sending again won't help until we or the recipient's server change something. Ask engineering.";
const waitAndSee = "It is tried again by itself.";

/** By subject and detail, the last two numbers. */
const meanings: Record<string, [short: string, meaning: string, advice: string]> = {
  "1.0": ["Problem with the address", "There is a problem with the address", askAddress],
  "1.1": ["Address doesn't exist", "The address doesn't exist at DOMAIN", askAddress],
  "1.2": ["Domain doesn't exist", "The domain DOMAIN doesn't exist, or takes no email", askAddress],
  "1.3": ["Address is misspelt", "The address isn't written as an address must be", askAddress],
  "1.4": ["Address is ambiguous", "The address means more than one person at DOMAIN", askAddress],
  "1.6": ["Mailbox has moved", "The mailbox has moved, and left no new address", askAddress],
  "1.8": ["Sender's address is refused", "DOMAIN doesn't accept our sender's address", askPostmaster],
  "1.10": ["Domain takes no email", "DOMAIN says that it takes no email at all", askAddress],
  "2.0": ["Problem with the mailbox", "There is a problem with the mailbox", tellRecipient],
  "2.1": ["Mailbox is disabled", "The mailbox exists, but is switched off", askAddress],
  "2.2": ["Mailbox is full", "The mailbox is full", tellRecipient],
  "2.3": [
    "Too large for the mailbox",
    "The email is larger than this mailbox takes",
    "Send it without the attachment.",
  ],
  "2.4": ["Mailing list is broken", "The address is a mailing list that can't be expanded", askAddress],
  "3.0": ["Problem at the recipient's server", "The recipient's server has a problem", waitAndSee],
  "3.1": ["Server is full", "The recipient's server has no space left", waitAndSee],
  "3.2": ["Server takes no email now", "The recipient's server takes no email at present", waitAndSee],
  "3.4": ["Too large for the server", "The email is larger than DOMAIN takes", "Send it without the attachment."],
  "4.0": ["Network problem", "The network between the servers has a problem", waitAndSee],
  "4.1": ["Server doesn't respond", "The recipient's server doesn't respond", waitAndSee],
  "4.2": ["Connection broke", "The connection to the recipient's server broke off", waitAndSee],
  "4.3": ["Name service problem", "The name of the recipient's server couldn't be looked up", waitAndSee],
  "4.4": ["No route", "No server takes email for DOMAIN", askAddress],
  "4.6": ["Mail loop", "The email went round in a circle between servers", askPostmaster],
  "4.7": ["Delivery time expired", "It was tried until the time for tries was over", "Sending again may help."],
  "5.0": ["Protocol problem", "The servers misunderstood each other", askPostmaster],
  "5.3": ["Too many recipients", "The email has more recipients than DOMAIN takes at once", askPostmaster],
  "6.0": ["Problem with the content", "DOMAIN can't use the email's content", askPostmaster],
  "7.0": ["Refused by policy", "DOMAIN refused it for a reason of its own, such as suspected spam", askPostmaster],
  "7.1": ["Refused by policy", "DOMAIN refuses email from us or to this address", askPostmaster],
  "7.7": ["Content was changed", "A signature in the email doesn't fit its content", askPostmaster],
  "7.13": ["Account is disabled", "The recipient's account is switched off", askAddress],
  "7.20": ["No valid DKIM signature", "The email has no valid DKIM signature", askPostmaster],
  "7.23": ["SPF failed", "SPF doesn't allow our server to send for this domain", askPostmaster],
  "7.25": ["Reverse DNS failed", "The name of our server's address doesn't fit", askPostmaster],
  "7.26": ["Sender isn't authenticated", "Neither SPF nor DKIM proved who sent the email", askPostmaster],
  "7.28": ["Too much email from us", "DOMAIN got more email from us than it accepts at a time", waitAndSee],
};

/** An enhanced code isn't part of an IP address or of a version. */
const enhancedCode = /(?<![\w.])([245])\.(\d{1,3})\.(\d{1,3})(?!\w|\.\d)/;

/**
 * Returns `null` if the server's words have no code that we know. A temporary code (4.x.x) is tried again, whatever a
 * permanent one would mean.
 */
export const explain = (log: string, recipient: string): Explained | null => {
  const [code = "", kind, subject, detail] = enhancedCode.exec(log) ?? [];
  if (!code || kind === "2") return null;
  const [short, meaning, advice] = meanings[`${subject}.${detail}`] ?? meanings[`${subject}.0`] ?? [];
  if (!short || !meaning || !advice) return null;
  const domain = recipient.slice(recipient.lastIndexOf("@") + 1) || "the recipient's domain";
  return {
    code,
    short,
    meaning: meaning.replace("DOMAIN", domain),
    advice: kind === "4" ? waitAndSee : advice === waitAndSee ? "Sending again may help." : advice,
  };
};
