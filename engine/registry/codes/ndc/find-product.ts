import { EngineError } from '../../../shared/errors.ts'
import type { CodeRepository, StoredCode } from '../repository.ts'
import { type AskedCode, badCode, codeWithHyphens, readingsOf } from './code-form.ts'
import { contentOf, listingsOf } from './record.ts'

/**
 * The product of a code as it was asked for, with hyphens or without (registry.md 3, 7.7).
 * @throws EngineError bad_input for another form, or for digits that fit no product or several;
 *   not_found
 */
export function findProduct(repository: CodeRepository, code: string): StoredCode {
  const asked = codeWithHyphens(code)
  if (asked) return findAsked(repository, asked)
  const fitting = readingsOf(code).filter(({ product }) => repository.record(product))
  const whole = fitting.filter((one) => hasPackage(repository.record(one.product), one.package))
  // Where no package separates them the one product is meant, and its package is not there.
  const [only, ...more] = whole.length > 0 ? whole : fitting
  if (only && more.length === 0) return findAsked(repository, only)
  if (only) {
    const meanings = [only, ...more].map((one) => `${one.product}-${one.package}`).join(', ')
    const message = `NDC code '${code}' fits several products; give one of ${meanings}`
    throw new EngineError('bad_input', message, { at: 'code' })
  }
  return badCode(code)
}

/**
 * The product of a code with hyphens.
 * @throws EngineError bad_input for another form; not_found
 */
export function findHyphenated(repository: CodeRepository, code: string): StoredCode {
  return findAsked(repository, codeWithHyphens(code) ?? badCode(code))
}

function findAsked(repository: CodeRepository, { product, package: segment }: AskedCode) {
  const stored = repository.record(product)
  const code = segment === undefined ? product : `${product}-${segment}`
  if (stored && (segment === undefined || hasPackage(stored, segment))) return stored
  throw new EngineError('not_found', `NDC code '${code}' does not exist.`)
}

function hasPackage(stored: StoredCode | undefined, segment: string): boolean {
  if (!stored) return false
  const { packages = [] } = contentOf(listingsOf(stored))
  return packages.some((one) => one.package === segment)
}
