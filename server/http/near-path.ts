import { NearNames } from '../../engine/shared/internal.ts'

/** Maximum number of segments and characters of a path that is compared. */
const MAX_SEGMENTS = 8
const MAX_CHARACTERS = 200

const PARAMETER = /^\{.*\}$/

/**
 * Returns the end of the message about an unknown path, which suggests the most similar pattern. It contains
 * nothing of the requested path, which may identify a patient.
 * @example nearPath('/Files/0d1e', ['/files/{file_id}']) // '; did you mean /files/{file_id}?'
 */
export function nearPath(path: string, patterns: readonly string[]): string {
  const segments = path.split('/').slice(1)
  if (path.length > MAX_CHARACTERS || segments.length > MAX_SEGMENTS) return ''
  // A path that only lacks its id.
  const without = patterns.find((pattern) => isWithoutId(pattern, path))
  if (without !== undefined) return `; did you mean ${without}?`
  const found = nearPattern(segments, patterns)
  return found === undefined ? '' : `; did you mean ${found}?`
}

const isWithoutId = (pattern: string, path: string) =>
  pattern.startsWith(`${path}/{`) && PARAMETER.test(pattern.slice(path.length + 1))

/**
 * Finds the most similar pattern, segment by segment. Prefers known words, then similar words, then parameters.
 * If every segment already matches the pattern, there is nothing to suggest.
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
