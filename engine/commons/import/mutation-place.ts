import { chromosome, type RowOf, text, whole } from './columns.ts'
import { RowError } from './row-error.ts'
import { placeIn } from './span.ts'

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

export const PLACE_COLUMNS = {
  build: text('NCBI_Build'),
  chromosome: chromosome('Chromosome'),
  start: whole('Start_Position', 'Start_position'),
  end: whole('End_Position', 'End_position'),
  reference: text('Reference_Allele'),
  allele1: text('Tumor_Seq_Allele1'),
  allele2: text('Tumor_Seq_Allele2'),
  // Shown by the alleles.
  variantType: text('Variant_Type'),
  // Said for the forward strand by all.
  strand: text('Strand'),
}

const ALLELE = /^(-|[ACGTN]+)$/

/**
 * The change that a row is about.
 * @param build the reference where the table has no column for it
 * @throws RowError
 */
export function changeIn(row: RowOf<typeof PLACE_COLUMNS>, build: string | undefined): Change {
  const { start, end, chromosome } = placeIn({
    chromosome: row.chromosome,
    start: row.start,
    end: row.end ?? row.start,
  })
  const reference = row.reference?.toUpperCase() ?? ''
  const [second, first] = [row.allele2?.toUpperCase(), row.allele1?.toUpperCase()]
  const tumour = second === reference ? (first ?? second) : second
  if (tumour === undefined || !ALLELE.test(reference) || !ALLELE.test(tumour)) {
    throw new RowError('the alleles are neither bases nor "-"')
  }
  if (tumour === reference) throw new RowError('the tumour has the reference allele')
  return {
    build: buildOf(row.build) ?? build,
    chromosome: `chr${chromosome}`,
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
