/** What is asked for; always the first 25 and how many there are. */
export interface Question {
  readonly q?: string
  readonly mode?: 'AND'
  readonly type?: string
  /** Without what was removed, as is usual. */
  readonly present?: true
  /** Started in the years from the first to before the second. */
  readonly years?: readonly [number, number]
  readonly order?: 'name' | '-name'
  readonly offset?: number
}

export const PAGE = 25

/**
 * Names, codes and parts of codes; words that a third to three quarters of the products have;
 * beginnings of thousands of words; filters and ranges; pages by name, and late ones.
 */
const QUESTIONS = {
  selective: [
    { q: 'imatinib' },
    { q: 'axiron' },
    { q: 'methotrexate' },
    { q: 'abiraterone' },
    { q: '0002-1975' },
    { q: '53808' },
    { q: 'insulin human', mode: 'AND' },
    { q: 'tamoxifen citrate', mode: 'AND' },
    { q: 'lilly', present: true },
    { q: 'kinase inhibitors', mode: 'AND', present: true },
  ],
  common: [
    { q: 'ingredient' },
    { q: 'bulk' },
    { q: 'drug' },
    { q: 'hydrochloride' },
    { q: 'human prescription drug tablet' },
    { q: 'bulk powder', mode: 'AND' },
    { q: 'ingredient', present: true },
    { q: 'powder', present: true, type: 'BULK INGREDIENT' },
  ],
  begun: [
    { q: 'a' },
    { q: '0' },
    { q: 'h' },
    { q: 'me' },
    { q: '12' },
    { q: 'in' },
    { q: 'hydro' },
  ],
  filtered: [
    { present: true },
    { type: 'HUMAN PRESCRIPTION DRUG' },
    { years: [2010, 2015] },
    { q: 'sodium', years: [2012, 2016], present: true },
    { q: 'acid', type: 'BULK INGREDIENT', years: [2000, 2018] },
  ],
  ordered: [
    { order: 'name' },
    { order: '-name', present: true },
    { q: 'tablet', order: 'name' },
    { q: 'ingredient', order: '-name', present: true },
    { present: true, offset: 50_000 },
    { q: 'ingredient', offset: 20_000 },
    { q: 'ingredient', offset: 1_000_000_000 },
  ],
} as const satisfies Readonly<Record<string, readonly Question[]>>

export type WorkloadName = keyof typeof QUESTIONS
export const WORKLOADS = Object.keys(QUESTIONS) as WorkloadName[]

export const questionsOf = (workload: WorkloadName): readonly Question[] => QUESTIONS[workload]
