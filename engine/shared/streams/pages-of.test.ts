import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pagesOf } from './pages-of.ts'

test('pages hold all values in their order, and all but the last are full', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), async (values, size) => {
      const pages: (readonly number[])[] = []
      for await (const page of pagesOf(values, size)) pages.push(page)
      expect(pages.flat()).toEqual(values)
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(size)
      expect(pages.at(-1)?.length ?? 1).toBeGreaterThan(0)
      expect(pages.at(-1)?.length ?? 1).toBeLessThanOrEqual(size)
    }),
  )
})
