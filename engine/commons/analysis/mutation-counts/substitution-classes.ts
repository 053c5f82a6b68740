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
