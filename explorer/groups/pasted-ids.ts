import type { Asked } from './asked.ts'

/** Cases that a list of pasted ids names, and the ids that name none or are doubled. */
export interface PastedCases {
  /** Ids of the cases, each once. */
  readonly cases: readonly string[]
  /** Number of different ids in the list. */
  readonly given: number
  readonly unmatched: readonly string[]
  /** Ids that stand in the list more than once. */
  readonly doubled: readonly string[]
  /** Number of ids whose case another id names, too. */
  readonly sameCase: number
}

interface Hit {
  readonly case_id: string
  readonly submitter_id?: string
  readonly samples?: readonly { readonly submitter_id?: string }[]
}

interface Found {
  readonly data: { readonly hits: readonly Hit[] }
}

/** Fields by which a case is found: its id, its barcode, or the barcode of one of its samples. */
const FIELDS = ['case_id', 'submitter_id', 'samples.submitter_id']
/** Ids per request. Each names at most a few cases, so that a response has all of them. */
const IDS_PER_REQUEST = 2_500
const MAX_HITS = 10_000
/** Maximum number of ids in a list. */
export const MAX_IDS = 250_000

/** Returns the ids in a text, separated by spaces, commas, semicolons or lines, without quotes. */
export const idsIn = (text: string): readonly string[] =>
  text
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^["']+|["']+$/g, ''))
    .filter((word) => word !== '')

/**
 * Finds the cases that a list of ids names.
 * @throws ServiceError
 */
export async function casesOf(ids: readonly string[], asked: Asked): Promise<PastedCases> {
  const different = [...new Set(ids)]
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  const wanted = new Set(different)
  const caseOf = new Map<string, string>()
  for (let from = 0; from < different.length; from += IDS_PER_REQUEST) {
    const value = different.slice(from, from + IDS_PER_REQUEST)
    const { data } = await asked.ask<Found>({
      path: '/cases',
      query: { fields: FIELDS.join(), size: MAX_HITS },
      filters: {
        op: 'or',
        content: FIELDS.map((field) => ({ op: 'in', content: { field, value } })),
      },
    })
    for (const hit of data.hits) {
      for (const name of namesOf(hit)) if (wanted.has(name)) caseOf.set(name, hit.case_id)
    }
  }
  const cases = [...new Set(caseOf.values())]
  return {
    cases,
    given: different.length,
    unmatched: different.filter((id) => !caseOf.has(id)),
    doubled: [...counts].flatMap(([id, count]) => (count > 1 ? [id] : [])),
    sameCase: caseOf.size - cases.length,
  }
}

const namesOf = ({ case_id, submitter_id, samples = [] }: Hit): readonly string[] =>
  [case_id, submitter_id, ...samples.map((sample) => sample.submitter_id)].filter(
    (name) => name !== undefined,
  )
