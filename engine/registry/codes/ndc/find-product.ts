import { EngineError } from '../../../shared/errors.ts'
import type { CodeReads, StoredCode } from '../repository.ts'
import { badCode, codeWithHyphens, type ProductCode, readingsOf } from './code-form.ts'
import { contentOf, listingsOf } from './record.ts'

/**
 * Finds the product for a requested code with hyphens, as 5-4-2 or without hyphens (registry.md 3, 7.7).
 * @throws EngineError `bad_input` for another form or for digits that fit no product or several; `not_found`
 * if the product is unknown
 */
export async function findProduct(reads: CodeReads, code: string): Promise<StoredCode> {
  const asked = codeWithHyphens(code)
  const readings = readingsOf(code)
  if (asked && readings.length === 0) return findByCode(reads, asked)
  const known = await reads.recordsOf(readings.map(({ product }) => product))
  const fitting = readings.filter(({ product }) => known.has(product))
  const whole = fitting.filter((one) => hasPackage(known.get(one.product), one.package))
  // If no package decides between the readings, a single known product is meant, without its package.
  const [only, ...more] = whole.length > 0 ? whole : fitting
  if (only && more.length === 0) return findByCode(reads, only)
  if (only) {
    const meanings = [only, ...more].map(codeOf).join(', ')
    const message = `NDC code '${code}' fits several products; give one of ${meanings}`
    throw new EngineError('bad_input', message, { at: 'code' })
  }
  return asked ? findByCode(reads, asked) : badCode(code)
}

/**
 * Finds the product for a code with hyphens.
 * @throws EngineError `bad_input` for another form; `not_found` if the product is unknown
 */
export async function findHyphenated(reads: CodeReads, code: string): Promise<StoredCode> {
  return findByCode(reads, codeWithHyphens(code) ?? badCode(code))
}

async function findByCode(reads: CodeReads, asked: ProductCode) {
  const stored = await reads.record(asked.product)
  if (stored && hasPackage(stored, asked.package)) return stored
  throw new EngineError('not_found', `NDC code '${codeOf(asked)}' does not exist.`)
}

function codeOf({ product, package: segment }: ProductCode): string {
  return segment === undefined ? product : `${product}-${segment}`
}

function hasPackage(stored: StoredCode | undefined, segment: string | undefined): boolean {
  if (!stored) return false
  if (segment === undefined) return true
  const { packages = [] } = contentOf(listingsOf(stored))
  return packages.some((one) => one.package === segment)
}
