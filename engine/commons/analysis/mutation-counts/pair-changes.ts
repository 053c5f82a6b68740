import { columnKey, levelKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, Column, Level, ReleaseArrays } from '../../release/loaded.ts'
import { spelledText } from '../../release/spelling.ts'

const EFFECT = 'consequence.transcript.consequence_type'
const FIVE = 'cnv_change_5_category'
const ANY = 'cnv_change'

/** Changes of a case in a gene, by pair of a case and a gene. */
export interface PairChanges {
  /** Returns whether the pair has a simple mutation. */
  isMutated(pair: number): boolean
  /** Returns whether the pair has a copy-number change. */
  isCopied(pair: number): boolean
  /** Visits each simple mutation of the pair, once for each run of its consequences. */
  eachMutation(pair: number, see: (ssm: number, occurrence: number) => void): void
  /** Visits each known consequence of the pair's mutations in its gene. Passes the index in `consequenceTypes`. */
  eachConsequence(pair: number, see: (type: number) => void): void
  /** Visits each known copy-number change of the pair. Passes the index in `copyNumbers`. */
  eachCopyNumber(pair: number, see: (change: number) => void): void
  readonly consequenceTypes: readonly string[]
  /**
   * Names of copy-number changes: the five categories, or the values of the older field with fewer categories if
   * the release lacks them.
   */
  readonly copyNumbers: readonly string[]
}

export const PAIR_CHANGE_KEYS: readonly ArrayKey[] = Object.freeze([
  levelKey('case_genes', 'ssm'),
  levelKey('case_genes', 'cnv'),
  linkKey('case_genes', 'ssm.occurrence'),
  linkKey('case_genes', 'ssm.effect'),
  linkKey('case_genes', 'cnv.occurrence'),
  levelKey('gene_effects', 'consequence'),
  linkKey('ssm_occurrences', 'ssm'),
  linkKey('cnv_occurrences', 'cnv'),
  columnKey('ssms', EFFECT),
  columnKey('cnvs', FIVE),
  columnKey('cnvs', ANY),
])

/**
 * Returns the changes of pairs. The arrays must have been loaded with PAIR_CHANGE_KEYS.
 * @param copyFields fields that name a copy-number change; the first with a value is used
 */
export function pairChangesOf(
  arrays: ReleaseArrays,
  copyFields: readonly (typeof FIVE | typeof ANY)[] = [FIVE, ANY],
): PairChanges {
  const ssm = arrays.level('case_genes', 'ssm')
  const cnv = arrays.level('case_genes', 'cnv')
  const occurrenceOf = arrays.link('case_genes', 'ssm.occurrence')?.targets
  const mutationOf = chained(arrays, 'ssm.occurrence', 'ssm_occurrences', 'ssm')
  const copyOf = chained(arrays, 'cnv.occurrence', 'cnv_occurrences', 'cnv')
  const effectOf = arrays.link('case_genes', 'ssm.effect')?.targets
  const consequences = arrays.level('gene_effects', 'consequence')?.offsets
  const effects = arrays.column('ssms', EFFECT)
  const changes = copyNumbersOf(arrays, copyFields)
  const has = (level: Level | undefined, pair: number) =>
    level !== undefined && level.offsets[pair] !== level.offsets[pair + 1]
  return {
    isMutated: (pair) => has(ssm, pair),
    isCopied: (pair) => has(cnv, pair),
    eachMutation(pair, see) {
      if (!ssm) return
      for (let i = ssm.offsets[pair]!; i < ssm.offsets[pair + 1]!; i++) {
        const row = mutationOf(i)
        if (row > 0) see(row - 1, occurrenceOf![i]! - 1)
      }
    },
    eachConsequence(pair, see) {
      if (!ssm || !effectOf || !consequences || !effects) return
      for (let i = ssm.offsets[pair]!; i < ssm.offsets[pair + 1]!; i++) {
        const effect = effectOf[i]!
        if (effect === 0) continue
        for (let c = consequences[effect - 1]!; c < consequences[effect]!; c++) {
          eachCode(effects, c, (code) => see(code - 1))
        }
      }
    },
    eachCopyNumber(pair, see) {
      if (!cnv) return
      for (let i = cnv.offsets[pair]!; i < cnv.offsets[pair + 1]!; i++) {
        const row = copyOf(i)
        const change = row === 0 ? 0 : changes.ofRow(row - 1)
        if (change > 0) see(change - 1)
      }
    },
    consequenceTypes: effects ? textsOf(effects) : [],
    copyNumbers: changes.names,
  }
}

/** Returns a function that maps an element of a pair to the change of its occurrence: row plus one, or 0 for none. */
function chained(
  arrays: ReleaseArrays,
  at: string,
  occurrences: 'ssm_occurrences' | 'cnv_occurrences',
  change: 'ssm' | 'cnv',
): (element: number) => number {
  const first = arrays.link('case_genes', at)?.targets
  const second = arrays.link(occurrences, change)?.targets
  return (element) => {
    const occurrence = first?.[element] ?? 0
    return occurrence === 0 ? 0 : (second?.[occurrence - 1] ?? 0)
  }
}

/** Returns the distinct names in the given fields, and a function from a change to its name. */
function copyNumbersOf(arrays: ReleaseArrays, fields: readonly string[]) {
  const columns = fields.flatMap((path) => arrays.column('cnvs', path) ?? [])
  const texts = columns.map(textsOf)
  const names = [...new Set(texts.flat())]
  const places = texts.map((own) => own.map((text) => names.indexOf(text) + 1))
  const ofRow = (row: number): number => {
    for (const [i, column] of columns.entries()) {
      let found = 0
      eachCode(column, row, (code) => {
        found ||= places[i]![code - 1]!
      })
      if (found > 0) return found
    }
    return 0
  }
  return { names, ofRow }
}

const textsOf = (column: Column): string[] =>
  Array.from({ length: column.dictionary.size }, (_, i) => spelledText(column, i + 1))

/** Visits the code of each value that a column has for an element. */
function eachCode({ codes, offsets }: Column, element: number, see: (code: number) => void): void {
  const [from, end] = offsets ? [offsets[element]!, offsets[element + 1]!] : [element, element + 1]
  for (let i = from; i < end; i++) {
    const code = codes?.[i] ?? 0
    if (code > 0) see(code)
  }
}
