/** A question that makes no sense; the message is a sentence for the user. */
export class Refusal extends Error {}
