import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { isExhaustive } from '../depth.ts'
import { DemoService } from './demo-service.ts'
import { followPage, type Given } from './follow-page.ts'
import { type Page, ROOT, readPage } from './page.ts'

// Every block of commands in the README, the tutorials and the pages of how-to does what its page says.

/** What pages of the usual tests take no time for. */
const USUAL = ['docs/how-to/import-records.md', 'docs/how-to/tokens-and-keys.md']

const pagesBelow = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const PAGES = ['README.md', ...pagesBelow('docs/tutorials'), ...pagesBelow('docs/how-to')]
  .map(readPage)
  .filter(({ steps }) => steps.length > 0)

const shared = (...paths: readonly string[]) =>
  paths.map((path) => join(publicData(), 'data', path))

interface Need {
  readonly isThere: boolean
  /** Where files of that name are. */
  readonly files?: readonly string[]
}

/** What pages may say that their readers need. */
const NEEDS: Readonly<Record<string, Need>> = {
  npm: { isThere: true },
  curl: { isThere: available.curl },
  jq: { isThere: available.jq },
  md5sum: { isThere: available.md5sum },
  samtools: { isThere: available.samtools },
  Rscript: { isThere: available.rscript },
  python3: { isThere: available.python },
  pandas: { isThere: available.pandas },
  survival: { isThere: available.survival },
  TCGAbiolinks: { isThere: available.tcgabiolinks },
  'algorithms/': { isThere: available.shared, files: shared('staging/tnm-2.1.zip') },
  'hematopoietic/': {
    isThere: available.shared,
    files: shared(
      'mph/Hematopoietic2010SamePrimaryPairs.csv',
      'mph/Hematopoietic2010TransformToPairs.csv',
    ),
  },
  'product.txt': {
    isThere: available.shared,
    files: shared('drugs/openfda_ndc_product_trimmed.txt'),
  },
  'package.txt': {
    isThere: available.shared,
    files: shared('drugs/openfda_ndc_package_trimmed.txt'),
  },
  'hcpcs.tsv.gz': { isThere: available.shared, files: shared('drugs/hcpcs_level2_2019.tsv.gz') },
}

/** What runs the blocks of a language; `curl` tells whether a service is ready. */
const RUN_BY = { sh: 'curl', python: 'python3', r: 'Rscript' } as const

const needsOf = ({ needs, steps }: Page) => [
  ...needs,
  ...steps.map(({ language }) => RUN_BY[language]),
]

test('what pages say that their readers need is known', () => {
  const unknown = PAGES.flatMap(({ path, needs }) =>
    needs.filter((name) => !Object.hasOwn(NEEDS, name)).map((name) => `${path}: ${name}`),
  )
  expect(unknown).toEqual([])
  expect(PAGES.length).toBeGreaterThan(15)
})

const followed = PAGES.filter(({ path }) => isExhaustive || USUAL.includes(path))

let demo: DemoService | undefined
beforeAll(async () => {
  if (followed.some(({ isOfDemo }) => isOfDemo)) demo = await DemoService.start()
})
afterAll(() => demo?.[Symbol.asyncDispose]())

for (const page of followed) {
  const isMissing = needsOf(page).some((name) => NEEDS[name]?.isThere === false)
  test.skipIf(isMissing)(`${page.path} does what it says`, async () => {
    const given: Given = Object.fromEntries(
      page.needs.flatMap((name) => {
        const files = NEEDS[name]?.files
        return files ? [[name, files]] : []
      }),
    )
    await followPage(page, given, page.isOfDemo ? demo : undefined)
  })
}
