/** Templates mark what must be given by a star, which uploads may keep (submission.md 6). */
export function withoutStar(name: string): string {
  return name.replace(/^\*+/, '')
}
