import { chromosome, type RowOf, text, whole } from './columns.ts'
import { referenceOf } from './reference-name.ts'
import { RowError } from './row-error.ts'
import { placeIn, proveWithin } from './span.ts'

/** A mutation: its location, and the reference and tumour alleles. */
export interface Change {
  /** Name of the reference build. Undefined if the table does not name it. */
  readonly build: string | undefined
  /** Chromosome with the prefix `chr`, as in the public data commons (data-commons.md 4). */
  readonly chromosome: string
  /** First and last base, 1-based and inclusive. An insertion lies between the bases `start` and `end`. */
  readonly start: number
  readonly end: number
  /** Bases, or `-` if there are none. */
  readonly reference: string
  readonly tumour: string
}

/**
 * Columns of the location and the alleles. The last two do not change the mutation. They are only compared: the
 * report counts rows whose type contradicts the alleles, or whose strand is `-`.
 */
export const PLACE_COLUMNS = {
  build: text('NCBI_Build'),
  chromosome: chromosome('Chromosome'),
  start: whole('Start_Position', 'Start_position'),
  end: whole('End_Position', 'End_position'),
  reference: text('Reference_Allele'),
  allele1: text('Tumor_Seq_Allele1'),
  allele2: text('Tumor_Seq_Allele2'),
  // The alleles determine the type.
  variantType: text('Variant_Type'),
  // Tables have alleles on the forward strand, whatever this column says.
  strand: text('Strand'),
}

const ALLELE = /^(-|[ACGTN]+)$/

/**
 * Returns the mutation of a row.
 * @param buildOfTable reference build for tables without a build column
 * @throws RowError for a bad location or bad alleles
 */
export function changeIn(
  row: RowOf<typeof PLACE_COLUMNS>,
  buildOfTable: string | undefined,
): Change {
  const build = row.build === undefined ? buildOfTable : referenceOf(row.build)
  const { start, end, chromosome } = placeIn(
    { chromosome: row.chromosome, start: row.start, end: row.end ?? row.start },
    build,
  )
  const reference = row.reference?.toUpperCase() ?? ''
  const [second, first] = [row.allele2?.toUpperCase(), row.allele1?.toUpperCase()]
  // Either of the two alleles may be the reference.
  const tumour = second === reference ? (first ?? second) : second
  if (tumour === undefined || !ALLELE.test(reference) || !ALLELE.test(tumour)) {
    throw new RowError(
      `the alleles "${row.reference ?? ''}" and "${tumour ?? ''}" are neither bases nor "-"`,
    )
  }
  if (tumour === reference) throw new RowError('the tumour has the reference allele')
  const bases = end - start + 1
  if (reference !== '-' && bases !== reference.length) {
    throw new RowError(
      `start and end span ${bases} bases, and the reference allele has ${reference.length}`,
    )
  }
  if (reference === '-' && bases > 2) {
    throw new RowError(
      `an insertion lies between two bases, and start and end span ${bases}; give the bases around it`,
    )
  }
  if (reference !== '-') proveWithin(end, chromosome, build)
  return {
    build,
    chromosome: `chr${chromosome}`,
    ...withoutAnchor({
      start,
      // Some annotators also give the base before an insertion as its end.
      end: reference === '-' ? start + 1 : end,
      reference,
      tumour,
    }),
  }
}

type Alleles = Pick<Change, 'start' | 'end' | 'reference' | 'tumour'>

/**
 * Removes the bases with which both alleles of an insertion or deletion begin. VCF has one such base, but the
 * format of mutation tables has none.
 */
function withoutAnchor(change: Alleles): Alleles {
  const { start, end, reference, tumour } = change
  const shorter = Math.min(basesIn(reference), basesIn(tumour))
  let shared = 0
  if (reference.length !== tumour.length) {
    while (shared < shorter && reference[shared] === tumour[shared]) shared++
  }
  if (shared === 0) return change
  const left = { reference: reference.slice(shared) || '-', tumour: tumour.slice(shared) || '-' }
  // The range of an insertion consists of the bases before and after it.
  return left.reference === '-'
    ? { start: end, end: end + 1, ...left }
    : { start: start + shared, end, ...left }
}

/** Returns the type of a change as the column Variant_Type has it. */
const typeOf = ({ reference, tumour }: Change): string => {
  const [before, after] = [basesIn(reference), basesIn(tumour)]
  if (before !== after) return before > after ? 'DEL' : 'INS'
  return ['', 'SNP', 'DNP', 'TNP'][before] ?? 'ONP'
}

/** Words for a change of several bases in as many others. Tables do not agree on them, so they count as equal. */
const SAME_LENGTH: ReadonlySet<string> = new Set(['DNP', 'TNP', 'ONP', 'MNP', 'MNV'])

/** Returns whether a table states a type that contradicts the alleles. An unknown word never does. */
export function contradictsType(given: string | undefined, change: Change): boolean {
  const [word, type] = [given?.toUpperCase() ?? '', typeOf(change)]
  if (word === 'SNV') return type !== 'SNP'
  if (SAME_LENGTH.has(word)) return !SAME_LENGTH.has(type)
  return ['SNP', 'INS', 'DEL'].includes(word) && word !== type
}

/**
 * Returns the mutation subtype in the terms of the public data commons. Only `Multiple base substitution` is a
 * term of casemill, because the published results have none for it.
 */
export function subtypeOf({ reference, tumour }: Change): string {
  const [before, after] = [basesIn(reference), basesIn(tumour)]
  if (before === after) {
    return before === 1 ? 'Single base substitution' : 'Multiple base substitution'
  }
  return before > after ? 'Small deletion' : 'Small insertion'
}

const basesIn = (allele: string) => (allele === '-' ? 0 : allele.length)

/** Returns the mutation in HGVS notation, such as `chr1:g.240211162T>A`. */
export function changeText({ chromosome, start, end, reference, tumour }: Change): string {
  const at = `${chromosome}:g.`
  if (reference === '-') return `${at}${start}_${start + 1}ins${tumour}`
  const span = start === end ? String(start) : `${start}_${end}`
  if (tumour === '-') return `${at}${span}del${reference}`
  if (reference.length === 1 && tumour.length === 1) return `${at}${start}${reference}>${tumour}`
  return `${at}${span}delins${tumour}`
}
