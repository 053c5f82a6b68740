import type { ReleaseArrays } from '../../release/loaded.ts'

/**
 * Classes of simple mutations. A substitution of one base is named by the pyrimidine of its base pair, as is usual
 * in mutational signatures: `G>T` is `C>A` on the other strand.
 */
export const MUTATION_CLASSES = Object.freeze([
  ...['C>A', 'C>G', 'C>T', 'T>A', 'T>C', 'T>G'],
  ...['insertion', 'deletion', 'other'],
])

const COMPLEMENT: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' }

/** Returns the place of a mutation's class in MUTATION_CLASSES. An allele that is empty or `-` has no bases. */
export function mutationClass(reference: string, tumor: string): number {
  const [from, to] = [reference, tumor].map((bases) => bases.toUpperCase().replaceAll('-', ''))
  const isPurine = from === 'A' || from === 'G'
  const substitution = isPurine ? `${COMPLEMENT[from]}>${COMPLEMENT[to!]}` : `${from}>${to}`
  const place = MUTATION_CLASSES.indexOf(substitution)
  if (place >= 0 && place < 6) return place
  if (from!.length === to!.length) return MUTATION_CLASSES.indexOf('other')
  return MUTATION_CLASSES.indexOf(to!.length > from!.length ? 'insertion' : 'deletion')
}

/** Returns the class of each simple mutation of a release, by its row. */
export function classesOfMutations(arrays: ReleaseArrays): Uint8Array {
  const [reference, tumor] = ['reference_allele', 'tumor_allele'].map((path) => {
    const column = arrays.column('ssms', path)
    return (row: number) => {
      const code = column?.codes?.[row] ?? 0
      return column && code > 0 ? column.dictionary.text(code) : ''
    }
  })
  const classes = new Uint8Array(arrays.rows('ssms'))
  for (let row = 0; row < classes.length; row++) {
    classes[row] = mutationClass(reference!(row), tumor!(row))
  }
  return classes
}

const BASES = ['A', 'C', 'G', 'T']

/**
 * The 96 contexts of mutational signatures, in their usual order: each substitution with the base before and after it,
 * such as `A[C>A]T`.
 */
export const CONTEXTS: readonly string[] = Object.freeze(
  MUTATION_CLASSES.slice(0, 6).flatMap((substitution) =>
    BASES.flatMap((before) => BASES.map((after) => `${before}[${substitution}]${after}`)),
  ),
)

/** Stands for a substitution whose context is unknown. */
export const UNKNOWN_CONTEXT = 96
/** Stands for a mutation that is no substitution of one base. */
const NO_CONTEXT = 97

/**
 * Returns the place of a substitution in CONTEXTS, or UNKNOWN_CONTEXT.
 * @param around three bases of the forward strand, with the replaced one in the middle
 */
export function contextPlace(substitution: number, around: string): number {
  const [before, middle, after] = around.toUpperCase()
  const isPurine = middle === 'A' || middle === 'G'
  const folded = isPurine
    ? [COMPLEMENT[after ?? ''], COMPLEMENT[middle], COMPLEMENT[before ?? '']]
    : [before, middle, after]
  const name = MUTATION_CLASSES[substitution]
  const place = CONTEXTS.indexOf(`${folded[0]}[${name}]${folded[2]}`)
  return place < 0 || folded[1] !== name?.[0] ? UNKNOWN_CONTEXT : place
}

/** Returns the context of each simple mutation of a release, by its row, from the mutations' classes. */
export function contextsOfMutations(classes: Uint8Array, arrays: ReleaseArrays): Uint8Array {
  const column = arrays.column('ssms', 'reference_context')
  // A release has at most 192 different contexts of substitutions, of both strands.
  const known = new Map<number, number>()
  return classes.map((substitution, row) => {
    if (substitution >= 6) return NO_CONTEXT
    const code = column?.codes?.[row] ?? 0
    if (!column || code === 0) return UNKNOWN_CONTEXT
    const key = code * 6 + substitution
    const place = known.get(key) ?? contextPlace(substitution, column.dictionary.text(code))
    known.set(key, place)
    return place
  })
}
