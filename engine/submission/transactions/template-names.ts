/** Templates mark what must be given by a star, which uploads may leave there (submission.md 6). */
export function withoutStar(name: string): string {
  return name.replace(/^\*+/, '')
}
