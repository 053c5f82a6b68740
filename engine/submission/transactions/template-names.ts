/** Removes the star with which templates mark required names, because uploads may keep it (submission.md 6). */
export function withoutStar(name: string): string {
  return name.replace(/^\*+/, '')
}
