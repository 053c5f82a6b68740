import { NearNames } from '../../engine/shared/internal.ts'

/** Segments of a path that is looked for, and characters of it. */
const MAX_SEGMENTS = 8
const MAX_CHARACTERS = 200

const PARAMETER = /^\{.*\}$/

/**
 * What follows the message on a path that nothing is served at: the pattern that it is a near miss of,
 * without anything of the path itself, which may name a patient.
 *
 * @example nearPath('/Files/0d1e', ['/files/{file_id}']) // '; did you mean /files/{file_id}?'
 */
export function nearPath(path: string, patterns: readonly string[]): string {
  const segments = path.split('/').slice(1)
  if (path.length > MAX_CHARACTERS || segments.length > MAX_SEGMENTS) return ''
  // A path that lacks its id alone differs by that.
  const without = patterns.find((pattern) => isWithoutId(pattern, path))
  if (without !== undefined) return `; did you mean ${without}?`
  const found = nearPattern(segments, patterns)
  return found === undefined ? '' : `; did you mean ${found}?`
}

const isWithoutId = (pattern: string, path: string) =>
  pattern.startsWith(`${path}/{`) && PARAMETER.test(pattern.slice(path.length + 1))

/**
 * Segment by segment: a word that is known, else the one that is near, else a parameter. Without any near
 * word it is the path's own pattern, which does not take a word of it.
 */
function nearPattern(segments: readonly string[], patterns: readonly string[]): string | undefined {
  const near = new NearNames()
  let left = patterns
    .map((pattern) => ({ pattern, parts: pattern.split('/').slice(1) }))
    .filter(({ parts }) => parts.length === segments.length)
  let isMiss = false
  for (const [i, segment] of segments.entries()) {
    const words = new Set(left.map(({ parts }) => parts[i] ?? '').filter(isWord))
    const word = words.has(segment) ? segment : near.of(segment, words)
    isMiss ||= word !== undefined && word !== segment
    left = left.filter(({ parts }) =>
      word === undefined ? !isWord(parts[i] ?? '') : parts[i] === word,
    )
  }
  return isMiss ? left[0]?.pattern : undefined
}

const isWord = (part: string) => !PARAMETER.test(part)
