import { describe, expect, test } from 'vitest'
import { productsOf } from '../../bench/registry/record-search/input.ts'
import { askIndex, indexOf } from '../../bench/registry/record-search/ours.ts'
import { PINS } from '../../bench/registry/record-search/pins.ts'
import { questionsOf, WORKLOADS } from '../../bench/registry/record-search/questions.ts'
import { countByScan } from '../../bench/registry/record-search/scan.ts'
import { openPeers } from '../../bench/registry/record-search/sqlite.ts'
import { available } from '../available.ts'

// The benchmark measures nothing unless all candidates find the pinned numbers of products. For a small input,
// this test determines the numbers again by matching each product with a regular expression.

describe.skipIf(!available.shared)('of published drug products', () => {
  const products = available.shared ? productsOf('test') : []
  const index = indexOf(products)
  const peers = openPeers(products)

  test.each(WORKLOADS)('everybody finds all that answer the questions of "%s"', (workload) => {
    const questions = questionsOf(workload)
    const counts = questions.map((question) => countByScan(products, question))
    expect(PINS.test[workload]).toEqual(counts)
    expect(questions.map((question) => askIndex(index, question).total)).toEqual(counts)
    expect(questions.map((question) => peers.like(question).total)).toEqual(counts)
    expect(questions.map((question) => peers.fullText(question).total)).toEqual(counts)
  })

  test('pages in order of names are the same everywhere', () => {
    for (const question of questionsOf('ordered').filter(({ order }) => order)) {
      const ids = askIndex(index, question).hits.map(({ id }) => id)
      expect(ids).toHaveLength(25)
      expect(peers.like(question).ids).toEqual(ids)
      expect(peers.fullText(question).ids).toEqual(ids)
    }
  })

  test('what is changed is found', () => {
    const product = { ...products[7]!, name: 'entirely new' }
    peers.replace(product, 7)
    expect(peers.fullText({ q: 'entirely' })).toEqual({ total: 1, ids: [product.id] })
    expect(peers.like({ q: 'entirely' })).toEqual({ total: 1, ids: [product.id] })
  })
})
