/** Returns a number with its noun, such as `1 group` or `2,000 groups`. `many` is for nouns that take no `s`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
