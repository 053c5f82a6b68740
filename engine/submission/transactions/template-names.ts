/** Removes the star with which templates mark required names. Uploads may still contain it (submission.md 6). */
export function withoutStar(name: string): string {
  return name.replace(/^\*+/, '')
}
