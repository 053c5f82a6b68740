import { afterAll, beforeAll, expect, test } from 'vitest'
import { MadePortal } from '../commons/graphql/support/made-portal.ts'

// Odd values of the parameters of analyses: an answer or an error that names the parameter, and never a fault.

let portal: MadePortal
beforeAll(async () => {
  portal = await MadePortal.open(() => new Date('2026-01-05T10:00:00Z'))
})
afterAll(() => portal[Symbol.asyncDispose]())

const PATHS: Readonly<Record<string, readonly string[]>> = {
  '/analysis/copy_number_segments': ['bin_size', 'size', 'filters', 'case_filters'],
  '/analysis/mutation_burden': ['contexts', 'change', 'size', 'from', 'filters', 'case_filters'],
  '/analysis/gene_associations': ['gene_ids', 'gene_size', 'change', 'filters'],
  '/analysis/gene_copy_numbers': ['gene_id', 'filters'],
  '/analysis/variables': ['x', 'y', 'case_filters'],
  '/analysis/survival': ['endpoint', 'intervals', 'comparison', 'filters', 'case_filters'],
  '/gene_expression/set_scores': ['gene_ids', 'gene_set_id', 'method', 'case_ids', 'format'],
}

/** Paths that take POST only. */
const POST_ONLY: ReadonlySet<string> = new Set(['/gene_expression/set_scores'])

const VALUES: readonly unknown[] = [
  ...[-1, 0, 1.5, 1e21, 2 ** 53, -0, '', ' ', 'NaN', 'Infinity', '0x10', '1e9', 'constructor'],
  ...[
    '__proto__',
    'toString',
    '\u0000',
    '\ud800',
    '<script>',
    '%',
    'x'.repeat(100_000),
    null,
    true,
  ],
  ...[
    [],
    [[]],
    [null],
    {},
    { a: 1 },
    ['a', 'a'],
    Array(20_000).fill('TP53'),
    [{}],
    { __proto__: 1 },
  ],
  ...[{ op: 'in', content: {} }, { op: [], content: 1 }, '{"op":', '[', { name: [] }],
  ...[{ x: ['TP53'] }, [{ name: 'a', genes: [1] }], [{ name: '', genes: [] }]],
]

test.each(Object.keys(PATHS))('%s', async (path) => {
  const faults: unknown[] = []
  for (const name of PATHS[path] ?? []) {
    for (const value of VALUES) {
      const shown = JSON.stringify(value)
      const text = typeof value === 'string' ? value : shown
      const query = new URLSearchParams([[name, text.slice(0, 4000)]])
      const posted = portal.request(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ [name]: value }),
      })
      const asked = [`${path}?${query}`, `${path}?${query}&${query}`]
      const requests = [
        posted,
        ...(POST_ONLY.has(path) ? [] : asked.map((one) => portal.request(one))),
      ]
      for (const response of await Promise.all(requests)) {
        const body = await response.text()
        const isHelpful =
          response.status === 200 ||
          ((response.status === 400 || response.status === 404) && /"message":"[^"]{10}/.test(body))
        if (!isHelpful) faults.push([name, shown.slice(0, 80), response.status, body.slice(0, 200)])
      }
    }
  }
  expect(faults).toEqual([])
})
