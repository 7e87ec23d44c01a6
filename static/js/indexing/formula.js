/** @typedef {{direction: "output-to-input"|"input-to-output", operand: number, result: number, xla: string, seed: string, words?: string, rewrites: {rule: string, sentence?: string, before: string, after: string, where?: string}[], enclosing?: boolean}} MapText */
export {};
