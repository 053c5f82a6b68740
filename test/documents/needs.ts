import { join } from 'node:path'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import type { Given } from './follow-page.ts'
import type { Page } from './page.ts'

const shared = (...paths: readonly string[]) =>
  paths.map((path) => join(publicData(), 'data', path))

interface Need {
  readonly isThere: boolean
  /** The files that have this name. */
  readonly files?: readonly string[]
}

/** The requirements that pages may state. */
const NEEDS: Readonly<Record<string, Need>> = {
  npm: { isThere: true },
  curl: { isThere: available.curl },
  jq: { isThere: available.jq },
  md5sum: { isThere: available.md5sum },
  samtools: { isThere: available.samtools },
  bcftools: { isThere: available.bcftools },
  tabix: { isThere: available.bcftools },
  Rscript: { isThere: available.rscript },
  python3: { isThere: available.python },
  pandas: { isThere: available.pandas },
  survival: { isThere: available.survival },
  jsonlite: { isThere: available.jsonlite },
  TCGAbiolinks: { isThere: available.tcgabiolinks },
  'algorithms/': { isThere: available.shared, files: shared('staging/tnm-2.1.zip') },
  'hematopoietic/': {
    isThere: available.shared,
    files: shared(
      'mph/Hematopoietic2010SamePrimaryPairs.csv',
      'mph/Hematopoietic2010TransformToPairs.csv',
    ),
  },
  'cases.xml.gz': {
    isThere: available.shared,
    files: shared('naaccr/samples/naaccr-xml-sample-v250-incidence-1000.xml.gz'),
  },
  'naaccr-dictionary-250.xml.gz': {
    isThere: available.shared,
    files: shared('naaccr/dictionaries/naaccr-dictionary-250.xml.gz'),
  },
  'naaccr-lookups-250.zip': {
    isThere: available.shared,
    files: shared('naaccr/naaccr-lookups-250.zip'),
  },
  'product.txt': {
    isThere: available.shared,
    files: shared('drugs/openfda_ndc_product_trimmed.txt'),
  },
  'package.txt': {
    isThere: available.shared,
    files: shared('drugs/openfda_ndc_package_trimmed.txt'),
  },
  'documentation-naaccr25.tar.gz': {
    isThere: available.shared,
    files: shared('naaccr/documentation-naaccr25.tar.gz'),
  },
  'items-extra-info.csv': {
    isThere: available.shared,
    files: shared('naaccr/items-extra-info.csv'),
  },
  'surgery/': {
    isThere: available.shared,
    files: shared(
      'surgery/site-specific-surgery-tables-2023.xml.gz',
      'surgery/site-specific-surgery-tables-2024.xml.gz',
    ),
  },
  'hcpcs.tsv.gz': { isThere: available.shared, files: shared('drugs/hcpcs_level2_2019.tsv.gz') },
}

/** The interpreter for each language; `curl` is used to wait for a service. */
const RUN_BY = { sh: 'curl', python: 'python3', r: 'Rscript' } as const

/** Names of requirements that are not listed here. */
export const unknownNeeds = ({ needs }: Page) => needs.filter((name) => !Object.hasOwn(NEEDS, name))

/** Whether something that a page requires is missing. */
export const lacksNeeds = ({ needs, steps }: Page) =>
  [...needs, ...steps.map(({ language }) => RUN_BY[language])].some(
    (name) => NEEDS[name]?.isThere === false,
  )

/** The files that a page requires. */
export const givenTo = ({ needs }: Page): Given =>
  Object.fromEntries(
    needs.flatMap((name) => {
      const files = NEEDS[name]?.files
      return files ? [[name, files]] : []
    }),
  )
