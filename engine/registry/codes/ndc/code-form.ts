import { EngineError } from '../../../shared/errors.ts'

/** A requested code, which identifies a product or one of its packages. */
export interface ProductCode {
  readonly product: string
  /** The last segment, if a package was requested. */
  readonly package?: string | undefined
}

interface PackageCode extends ProductCode {
  readonly package: string
}

const WITH_HYPHENS = /^(\d{4,5}-\d{3,4})(?:-(\d{1,2}))?$/

/** Parses a code with hyphens. A product code has one hyphen, a package code has two (registry.md 3). */
export function codeWithHyphens(code: string): ProductCode | undefined {
  const [, product, segment] = WITH_HYPHENS.exec(code) ?? []
  return product === undefined ? undefined : { product, package: segment }
}

/** Segment lengths of the 10-digit formats. */
export const SEGMENTS = Object.freeze({
  '4-4-2': [4, 4, 2],
  '5-3-2': [5, 3, 2],
  '5-4-1': [5, 4, 1],
} as const satisfies Record<string, readonly [number, number, number]>)

/** Splits ten digits into segments. */
export function codeOfDigits(
  digits: string,
  [labeler, product]: readonly [number, number, number],
): PackageCode {
  const end = labeler + product
  return {
    product: `${digits.slice(0, labeler)}-${digits.slice(labeler, end)}`,
    package: digits.slice(end),
  }
}

/** The 5-4-2 billing format, which pads the short segment with a zero. */
const BILLED = /^(\d{5})-(\d{4})-(\d{2})$/

/**
 * Returns all possible readings of a code without hyphens. Ten digits are three segments in one of three
 * formats. Eleven digits are 5-4-2 with a zero before the short segment.
 */
export function readingsOf(code: string): ProductCode[] {
  const digits = code.replace(BILLED, '$1$2$3')
  if (/^\d{10}$/.test(digits)) {
    return Object.values(SEGMENTS).map((segments) => codeOfDigits(digits, segments))
  }
  if (/^\d{9}$/.test(digits)) return productsOf(digits.slice(0, 5), digits.slice(5))
  const [, labeler = '', product = '', segment = ''] = /^(\d{5})(\d{4})(\d{2})$/.exec(digits) ?? []
  const readings = [
    { product: `${labeler.slice(1)}-${product}`, package: segment, zero: labeler[0] },
    { product: `${labeler}-${product.slice(1)}`, package: segment, zero: product[0] },
    { product: `${labeler}-${product}`, package: segment.slice(1), zero: segment[0] },
  ]
  return readings.filter(({ zero }) => zero === '0').map(({ zero: _, ...reading }) => reading)
}

/** Reads nine digits: a code of eleven digits without its package. Any of the three segments may be the short one. */
function productsOf(labeler: string, product: string): ProductCode[] {
  return [
    ...(labeler[0] === '0' ? [{ product: `${labeler.slice(1)}-${product}` }] : []),
    ...(product[0] === '0' ? [{ product: `${labeler}-${product.slice(1)}` }] : []),
    { product: `${labeler}-${product}` },
  ]
}

/** Returns the other spellings of a product code and its package codes: padded and without hyphens. */
export function otherForms(product: string, packages: readonly string[]): string[] {
  const [labeler = '', item = ''] = product.split('-')
  const padded = [labeler.padStart(5, '0'), item.padStart(4, '0')]
  return [
    padded.join(''),
    ...packages.flatMap((segment) => {
      const billed = [...padded, segment.padStart(2, '0')]
      return [billed.join('-'), billed.join(''), `${labeler}${item}${segment}`]
    }),
  ]
}

/**
 * Throws the error for an invalid NDC code.
 * @throws EngineError `bad_input` always
 */
export function badCode(code: string): never {
  const given = code.slice(0, 40)
  throw new EngineError(
    'bad_input',
    `NDC code '${given}' is not valid; give one like 0002-3227, or 0002-3227-30 for a package`,
    { at: 'code' },
  )
}
