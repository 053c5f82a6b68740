import type { Product } from './input.ts'
import type { Question } from './questions.ts'
import { beginning, plainWords, spaced } from './words.ts'

/** How many products answer a question, by a look at each of them. */
export function countByScan(products: readonly Product[], question: Question): number {
  const { q, mode, type, present, years } = question
  const patterns = q === undefined ? [] : plainWords(q).map(beginning)
  return products.filter((product) => {
    if (type !== undefined && product.type !== type) return false
    if (present && product.removed === 'yes') return false
    if (years) {
      const year = Number(product.started.slice(0, 4))
      if (product.started === '' || year < years[0] || year >= years[1]) return false
    }
    if (patterns.length === 0) return true
    const text = textOf(product)
    return mode === 'AND'
      ? patterns.every((one) => one.test(text))
      : patterns.some((one) => one.test(text))
  }).length
}

const textOf = ({ code, name, substance, rest }: Product) =>
  [code, name, substance, rest].map(spaced).join('')
