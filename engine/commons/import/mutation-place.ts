import { RowError } from './row-error.ts'
import { spanIn } from './span.ts'
import type { NamedCells } from './table-kind.ts'

/** What a mutation replaces by what, and where. */
export interface Change {
  /** Name of the reference; `undefined` when nothing names it. */
  readonly build: string | undefined
  /** With `chr`, as the service has it for mutations (data-commons.md 4). */
  readonly chromosome: string
  /** 1-based, inclusive; an insertion lies between its start and its end. */
  readonly start: number
  readonly end: number
  /** Bases, or `-` for none. */
  readonly reference: string
  readonly tumour: string
}

export const PLACE_COLUMNS: readonly string[] = [
  'NCBI_Build',
  'Chromosome',
  'Start_Position',
  'Start_position',
  'End_Position',
  'End_position',
  'Reference_Allele',
  'Tumor_Seq_Allele1',
  'Tumor_Seq_Allele2',
  // Shown by the alleles.
  'Variant_Type',
  // Said for the forward strand by all.
  'Strand',
]

const ALLELE = /^(-|[ACGTN]+)$/

/**
 * The change that a row is about.
 * @param build the reference where the table has no column for it
 * @throws RowError
 */
export function changeIn(cell: NamedCells, build: string | undefined): Change {
  const chromosome = cell('Chromosome')?.replace(/^chr/i, '')
  if (chromosome === undefined) throw new RowError('the row has no chromosome')
  const startText = cell('Start_Position') ?? cell('Start_position')
  const { start, end } = spanIn(
    startText,
    cell('End_Position') ?? cell('End_position') ?? startText,
  )
  const reference = cell('Reference_Allele')?.toUpperCase() ?? ''
  const [second, first] = [cell('Tumor_Seq_Allele2'), cell('Tumor_Seq_Allele1')].map((allele) =>
    allele?.toUpperCase(),
  )
  const tumour = second === reference ? (first ?? second) : second
  if (tumour === undefined || !ALLELE.test(reference) || !ALLELE.test(tumour)) {
    throw new RowError('the alleles are neither bases nor "-"')
  }
  if (tumour === reference) throw new RowError('the tumour has the reference allele')
  return {
    build: buildOf(cell('NCBI_Build')) ?? build,
    chromosome: `chr${chromosome === 'MT' ? 'M' : chromosome}`,
    start,
    end,
    reference,
    tumour,
  }
}

/** One name for each spelling of a reference: `37`, `hg19`, `GRCh37-lite`. */
function buildOf(text: string | undefined): string | undefined {
  const number = /^(?:grch|hg|b)?(19|3[78])(?!\d)/i.exec(text ?? '')?.[1]
  if (number === undefined) return text
  return number === '38' ? 'GRCh38' : 'GRCh37'
}

/** The kind of change in the service's words; its published answers have no word for several bases. */
export function subtypeOf({ reference, tumour }: Change): string {
  const [before, after] = [basesIn(reference), basesIn(tumour)]
  if (before === after) {
    return before === 1 ? 'Single base substitution' : 'Multiple base substitution'
  }
  return before > after ? 'Small deletion' : 'Small insertion'
}

const basesIn = (allele: string) => (allele === '-' ? 0 : allele.length)

/** `chr1:g.240211162T>A`, and in the same notation what is more than one base for another. */
export function changeText({ chromosome, start, end, reference, tumour }: Change): string {
  const at = `${chromosome}:g.`
  if (reference === '-') return `${at}${start}_${start + 1}ins${tumour}`
  const span = start === end ? String(start) : `${start}_${end}`
  if (tumour === '-') return `${at}${span}del${reference}`
  if (reference.length === 1 && tumour.length === 1) return `${at}${start}${reference}>${tumour}`
  return `${at}${span}delins${tumour}`
}
