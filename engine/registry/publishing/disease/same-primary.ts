import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import { requireParameter } from '../../../shared/input/required-parameter.ts'
import { type SamePrimarySource, samePrimary } from '../../multiple-primaries/same-primary.ts'
import type { Contents } from '../answers.ts'
import type { Disease } from './definition.ts'
import { holdsIn } from './ranges.ts'

/** The result of whether two diseases count as one (registry.md 3). */
export interface SamePrimaries {
  readonly disease1: string
  readonly year1: number
  readonly disease2: string
  readonly year2: number
  readonly is_same: boolean
}

export interface SamePrimaryRequest {
  readonly d1?: string | undefined
  readonly d2?: string | undefined
  readonly year1?: string | undefined
  readonly year2?: string | undefined
}

/**
 * Compares diseases by the same-primary lists of a version. A morphology whose diseases have no list falls
 * back to `general`.
 * @throws EngineError `bad_input` for a missing or invalid morphology or year
 */
export function samePrimaries(
  source: SamePrimarySource<string>,
  request: SamePrimaryRequest,
): SamePrimaries {
  const [disease1, disease2] = [morphology(request.d1, 'd1'), morphology(request.d2, 'd2')]
  const [year1, year2] = [readYear(request.year1, 'year1'), readYear(request.year2, 'year2')]
  const is_same = samePrimary(
    source,
    { morphology: disease1, year: year1 },
    { morphology: disease2, year: year2 },
  )
  return { disease1, year1, disease2, year2, is_same }
}

type Listed = NonNullable<Disease['same_primary']>

/** Same-primary lists, keyed by morphology. */
export type ListedPrimaries = ReadonlyMap<string, Listed>

/** Collects the same-primary lists of a version. */
export async function listedPrimaries(
  items: Contents<Disease>['items'],
  turns: LoopTurns,
): Promise<ListedPrimaries> {
  const lists = new Map<string, Listed>()
  for await (const { content } of items) {
    await turns.pause()
    const { icdO3_morphology: code, same_primary: listed } = content
    if (code === undefined || listed === undefined) continue
    lists.set(code, [...(lists.get(code) ?? []), ...listed])
  }
  return lists
}

/** Returns a source that uses the lists, or `general` for a morphology without a list. */
export function sourceOf(
  lists: ListedPrimaries,
  general: SamePrimarySource<string>,
): SamePrimarySource<string> {
  return {
    matches(morphology, other, year) {
      const own = lists.get(morphology)
      if (!own) return general.matches(morphology, other, year)
      return own.some((one) => codesIn(one.value).includes(other) && holdsIn(one, year))
    },
  }
}

/** Editors may write more than the code into an entry, so codes are extracted. */
function codesIn(text: string): readonly string[] {
  return text.match(/\b\d{4}\/\d\b/g) ?? []
}

function morphology(text: string | undefined, name: string): string {
  const given = requireParameter(text, name)
  if (/^\d{4}\/\d$/.test(given)) return given
  const message = `"${name}" is no morphology; give a histology and a behaviour, such as 9840/3`
  throw new EngineError('bad_input', message, { at: name })
}

/**
 * Reads a four-digit year.
 * @throws EngineError `bad_input` if the text is missing or not a year
 */
export function readYear(text: string | undefined, name: string): number {
  const given = requireParameter(text, name)
  if (/^[1-9]\d{3}$/.test(given)) return Number(given)
  throw new EngineError('bad_input', `"${name}" is no year; give one such as 2010`, { at: name })
}
