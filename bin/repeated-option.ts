/** Collects the values of an option that can be repeated, for commander. */
export const repeated = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
]
