import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HcpcsProcedure } from '../../engine/registry/codes/hcpcs/procedure.ts'
import type { NdcProduct } from '../../engine/registry/codes/ndc/product.ts'
import { FINISHED, PACKAGES, tableOf } from '../../engine/registry/codes/support/made-codes.ts'
import type { ImportedCodes, RowFate } from '../../engine/registry/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { readExpectations } from './support/staging-vectors.ts'
import { strictFaults } from './support/strict-codes.ts'

// The complete published tables, and the public client's expectations of the live service. The commands above
// numbers and digests are run in shared/data/drugs.

const DRUGS = publicData('data/drugs')
const at = (name: string) => join(DRUGS, name)
const TABLES = {
  of2015: at('fda_ndc_2015.products.tsv.gz'),
  products: at('fda_unfinished_product_2018.txt.gz'),
  packages: at('fda_unfinished_package_2018.txt.gz'),
  procedures: at('hcpcs_level2_2019.tsv.gz'),
}

let world: RegistryWorld
beforeAll(async () => {
  if (available.shared) world = await openRegistry({ logLevel: 'error' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ask = async (path: string) => world.ask(`GET ${path}`, { who: 'reader' })

/** All records of an area, read page by page and strictly. */
async function readAll<T>(area: 'ndc' | 'hcpcs', query = ''): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page++) {
    const response = await ask(`/rest/${area}?per_page=1000&page=${page}${query}`)
    const total = Number(response.headers.get('x-total-count'))
    const records = (await successOf(response, 200)) as T[]
    expect(records.flatMap((record) => strictFaults(area, record))).toEqual([])
    all.push(...records)
    if (records.length === 0) {
      expect(all).toHaveLength(total)
      return all
    }
  }
}

/** The digest of lines as by `LC_ALL=C sort | sha256sum`. */
function digestOf(lines: readonly string[]): string {
  const sorted = lines.map((line) => Buffer.from(`${line}\n`)).sort(Buffer.compare)
  return createHash('sha256').update(Buffer.concat(sorted)).digest('hex')
}

const rowsIn = (path: string) => gunzipSync(readFileSync(path)).toString().split('\n').slice(1, -1)

/** Checks that each row of the files has one fate, in order, and returns the counts by fate. */
function accounted(rows: readonly RowFate[], files: readonly string[]): Record<string, number> {
  let done = 0
  for (const path of files) {
    const lines = rowsIn(path).length
    const ofFile = rows.slice(done, done + lines)
    expect(ofFile.map(({ line }) => line)).toEqual(Array.from({ length: lines }, (_, i) => i + 2))
    expect(new Set(ofFile.map(({ file }) => file)).size).toBe(1)
    done += lines
  }
  expect(rows).toHaveLength(done)
  for (const { fate, code, reason } of rows) expect(fate === 'refuse' ? reason : code).toBeTruthy()
  const counts = Map.groupBy(rows, ({ fate }) => fate)
  return Object.fromEntries([...counts].map(([fate, ofFate]) => [fate, ofFate.length]))
}

async function imported(
  load: (run: { user: string; onRow: (row: RowFate) => void }) => Promise<ImportedCodes>,
) {
  const rows: RowFate[] = []
  const report = await load({ user: 'import', onRow: (row) => void rows.push(row) })
  return { rows, report }
}

const cells = (...values: readonly (string | readonly string[] | undefined)[]) =>
  values.map((value = '') => (typeof value === 'string' ? value : value.join('; '))).join('\t')

const packagesIn = (products: readonly NdcProduct[]) =>
  products.flatMap(({ ndc, packages = [] }) => packages.map((one) => `${ndc}-${one.package}`))

const substances = ({ substances: all = [] }: NdcProduct, part: 'name' | 'strength' | 'unit') =>
  all.map((one) => one[part] ?? '')

describe.skipIf(!available.shared)('the table of unfinished products', () => {
  const { products, packages } = TABLES
  const load = (skipBad: boolean) =>
    imported((run) => world.engine.registry.ndc.import({ products, packages }, { ...run, skipBad }))

  test('has two packages without a valid code, which keep all of it out', async () => {
    const { rows, report } = await load(false)
    expect(report.loaded).toBe(false)
    // zcat fda_unfinished_package_2018.txt.gz | cut -f3 | grep -nvE '^[0-9]{4,5}-[0-9]{3,4}-[0-9]{1,2}$'
    expect(rows.filter(({ fate }) => fate === 'refuse')).toMatchObject([
      { line: 9584, column: 'NDCPACKAGECODE', reason: expect.stringContaining('47848-026-XX') },
      { line: 16515, column: 'NDCPACKAGECODE', reason: expect.stringContaining('"02"') },
    ])
    expect(await readAll('ndc')).toEqual([])
  })

  test('is loaded without them: each row has a fate, and each cell is where it belongs', async () => {
    const { rows, report } = await load(true)
    // zcat fda_unfinished_product_2018.txt.gz | tail -n +2 | wc -l, and | cut -f2 | sort -u | wc -l:
    // 21478 rows of 21057 codes; zcat fda_unfinished_package_2018.txt.gz | tail -n +2 | wc -l: 35321.
    expect(accounted(rows, [products, packages])).toEqual({
      load: 21057,
      merge: 21478 - 21057 + 35321 - 2,
      refuse: 2,
    })
    expect(report.records).toEqual({
      added: 21057,
      changed: 0,
      removed: 0,
      reappeared: 0,
      same: 0,
    })
    // zcat fda_unfinished_product_2018.txt.gz | grep -cP '[\x{80}-\x{9f}]'
    expect(report.tables.map(({ otherEncoding }) => otherEncoding)).toEqual([5, 0])
    const all = await readAll<NdcProduct>('ndc')
    // zcat fda_unfinished_package_2018.txt.gz | tail -n +2 | cut -f3 |
    //   grep -E '^[0-9]{4,5}-[0-9]{3,4}-[0-9]{1,2}$' | LC_ALL=C sort | sha256sum
    expect(digestOf(packagesIn(all))).toBe(
      'a6e5d326419141316c7e9728ccdd80ae9207a69fbf5fca50e3da5f74787962de',
    )
    const lines = all.map((product) =>
      cells(
        ...[product.ndc, product.type_name, product.non_proprietary_name],
        ...[product.dosage_form_name, product.start_marketing_date, product.end_marketing_date],
        ...[product.marketing_category_name, product.labeler_name, substances(product, 'name')],
        ...[substances(product, 'strength'), substances(product, 'unit'), product.dea_schedule],
      ),
    )
    const codes = Map.groupBy(rowsIn(products), (row) => row.split('\t')[1])
    const alone = lines.filter((line) => codes.get(line.split('\t')[0])?.length === 1)
    // zcat fda_unfinished_product_2018.txt.gz | tail -n +2 | cut -f2-13 | LC_ALL=C sort |
    //   awk -F'\t' '{n[$1]++; l[$1]=$0} END{for(c in n) if(n[c]==1) print l[c]}' | LC_ALL=C sort |
    //   sed $'s/\xc2\x92/\xe2\x80\x99/g' | sha256sum
    expect(digestOf(alone)).toBe('a24e045ea38f6c7184c5836ffed8b78159e7747730f3aaba578c4160c00dc04a')
    expect(alone).toHaveLength(20784)
  })

  test('changes nothing when it is loaded again', async () => {
    const { report } = await load(true)
    expect(report.records).toMatchObject({ added: 0, changed: 0, removed: 0, same: 21057 })
  })
})

describe.skipIf(!available.shared)('the table of 2015', () => {
  test('is loaded whole: each row has a fate, and each cell is where it belongs', async () => {
    const { rows, report } = await imported((run) =>
      world.engine.registry.ndc.import({ products: TABLES.of2015 }, run),
    )
    // zcat fda_ndc_2015.products.tsv.gz | tail -n +2 | wc -l: 7506; of so many products:
    // | awk -F'\t' '{split($2,f,"-"); print substr($1,1,f[1]) "-" substr($1,f[1]+1,f[2])}' | sort -u
    expect(accounted(rows, [TABLES.of2015])).toEqual({ load: 6552, merge: 7506 - 6552 })
    // The list shares 78 codes with unfinished products (comm -12 of both lists).
    expect(report.records).toEqual({
      added: 6552 - 78,
      changed: 78,
      removed: 0,
      reappeared: 0,
      same: 0,
    })
    const codes = new Set(rows.map(({ code }) => code))
    const all = (await readAll<NdcProduct>('ndc')).filter(({ ndc }) => codes.has(ndc))
    // | awk -F'\t' '{split($2,f,"-"); print substr($1,1,f[1]) "-" substr($1,f[1]+1,f[2]) "-"
    //   substr($1,f[1]+f[2]+1)}' | LC_ALL=C sort | sha256sum
    expect(digestOf(packagesIn(all))).toBe(
      '0240c4b473782a6e2bab780b96f6e8a794eca93990fe8c08925123ee3b4c4b35',
    )
    const lines = all.map((product) =>
      cells(
        ...[product.ndc, product.type_name, product.proprietary_name],
        ...[product.non_proprietary_name, product.dosage_form_name, product.route_name],
        ...[product.application_number, product.labeler_name, substances(product, 'name')],
        ...[substances(product, 'strength'), substances(product, 'unit')],
        product.pharm_class?.join(','),
      ),
    )
    // | awk -F'\t' -v OFS='\t' '{split($2,f,"-"); print substr($1,1,f[1]) "-" substr($1,f[1]+1,f[2]),
    //   $3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13}' | LC_ALL=C sort -u | sha256sum
    expect(digestOf(lines)).toBe('feee29fe4916fa23d97cf0380efa3786c76f5f037214d25963fdc7e657108692')
  })

  test('is found by the codes that it has, in ten digits and in eleven', async () => {
    const wrong: string[] = []
    for (const row of rowsIn(TABLES.of2015).filter((_, i) => i % 20 === 0)) {
      const [ten = '', form = '', ...rest] = row.split('\t')
      const [labeler = 0, product = 0] = form.split('-').map(Number)
      const wanted = `${ten.slice(0, labeler)}-${ten.slice(labeler, labeler + product)}`
      for (const code of [ten, rest.at(-1) ?? '']) {
        const response = await ask(`/rest/ndc/code/${code}`)
        const { ndc } = (await response.json()) as { ndc?: string }
        if (ndc !== wanted) wrong.push(`${code}: ${response.status} ${ndc}, not ${wanted}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe.skipIf(!available.shared)('the samples of the newer layouts', () => {
  test.each([
    ['product', 'package', 'finished products', 'packages with days', '0002-1200'],
    ['unfinished_product', 'unfinished_package', 'unfinished products', 'packages', '0002-0485'],
  ])('openfda_ndc_%s_trimmed.txt is loaded whole', async (products, packages, ...wanted) => {
    const [layout, ofPackages, code] = wanted
    await using fresh = await openRegistry({ logLevel: 'error' })
    const file = (name: string) => at(`openfda_ndc_${name}_trimmed.txt`)
    const tables = { products: file(products), packages: file(packages) }
    const { report } = await imported((run) => fresh.engine.registry.ndc.import(tables, run))
    // awk 'END{print FNR}' prints 4 for each file, including the header.
    expect(report.tables).toMatchObject([
      { layout, rows: 3, loaded: 3, merged: 0, refused: 0 },
      { layout: ofPackages, rows: 3, loaded: 0, merged: 3, refused: 0 },
    ])
    const { record } = await fresh.engine.registry.ndc.product(
      { user: 'r', roles: new Set() },
      code,
    )
    expect(strictFaults('ndc', record)).toEqual([])
    expect(record.packages).toHaveLength(2)
  })
})

describe.skipIf(!available.shared)('the table of procedures', () => {
  const { procedures } = TABLES

  test('is loaded whole: each row has a fate, and each cell is where it belongs', async () => {
    const load = () => imported((run) => world.engine.registry.hcpcs.import(procedures, run))
    const { rows, report } = await load()
    // zcat hcpcs_level2_2019.tsv.gz | tail -n +2 | wc -l: 11096; | cut -f1 | sort -u | wc -l: 6440
    expect(accounted(rows, [procedures])).toEqual({ load: 6440, merge: 11096 - 6440 })
    expect(report.records).toMatchObject({ added: 6440, changed: 0, removed: 0 })
    const all = await readAll<HcpcsProcedure>('hcpcs')
    // zcat hcpcs_level2_2019.tsv.gz | tail -n +2 | awk -F'\t' '{d[$1]=d[$1] (d[$1]==""?"":" ") $4}
    //   END{for(c in d) print c "\t" d[c]}' | LC_ALL=C sort | sha256sum
    expect(digestOf(all.map((one) => `${one.hcpcs_code}\t${one.description}`))).toBe(
      'fb6c80c19452a872c578bcfdfec851f965a7754a25e0b721c40b9c77726244b7',
    )
    // zcat hcpcs_level2_2019.tsv.gz | tail -n +2 | awk -F'\t' '$2=="00100"{print $1 "\t" $23 "\t"
    //   $25}' | LC_ALL=C sort | sha256sum
    const day = (text = '') => text.replaceAll('-', '')
    const days = all.map((one) =>
      cells(one.hcpcs_code, day(one.cms_approval_date), day(one.cms_discontinuation_date)),
    )
    expect(digestOf(days)).toBe('2495711515c675f48ba8f4b52f15c70ea0dabb8f0a272c91fec68735fede7af1')
    expect((await load()).report.records).toMatchObject({ added: 0, changed: 0, same: 6440 })
  })
})

describe.skipIf(!available.shared)('the public client', () => {
  // Facts of the live service that no table here contains: S0087 and C9240, the two products and the registry's
  // members of them come from the expectations themselves, as do categories and brands.
  beforeAll(async () => {
    if (!available.shared) return
    const wanted = new Map(
      [...readExpectations('ndc'), ...readExpectations('hcpcs')].map((one) => [
        one.request.split('/').at(-1) ?? '',
        one.expect as Record<string, unknown>,
      ]),
    )
    await loadStrattera(wanted.get('0002-3227') ?? {})
    const editor = async (operation: string, body: unknown, status: number) =>
      successOf(await world.ask(operation, { body }), status)
    const seer = { categories: ['CHEMOTHERAPY'], minor_drug_class: 'CDK 4/6' }
    await editor('PUT /rest/ndc/code/0002-4483', { seer }, 200)
    await editor('POST /rest/hcpcs/code', { hcpcs_code: 'S0087', ...wanted.get('S0087') }, 201)
    const categories = ['RADIOPHARMACEUTICAL', 'IMMUNOTHERAPY']
    await editor('PUT /rest/hcpcs/code/A9545', { categories }, 200)
    const drug = { brand_names: ['Ixempra'], categories: ['CHEMOTHERAPY'] }
    await editor('PUT /rest/hcpcs/code/J9207', drug, 200)
    await editor('POST /rest/hcpcs/code', { hcpcs_code: 'C9240', ...drug }, 201)
  })

  /** Loads the product as the published tables of finished products would have it. */
  async function loadStrattera(wanted: Record<string, unknown>): Promise<void> {
    const [substance = {}] = wanted.substances as Record<string, string>[]
    const text = (name: string) => String(wanted[name] ?? '')
    const list = (name: string, separator: string) => (wanted[name] as string[]).join(separator)
    const strattera = {
      PRODUCTNDC: text('ndc'),
      PRODUCTTYPENAME: text('type_name'),
      PROPRIETARYNAME: text('proprietary_name'),
      DOSAGEFORMNAME: text('dosage_form_name'),
      NONPROPRIETARYNAME: list('non_proprietary_name', '; '),
      ROUTENAME: list('route_name', '; '),
      STARTMARKETINGDATE: text('start_marketing_date'),
      ENDMARKETINGDATE: text('end_marketing_date'),
      MARKETINGCATEGORYNAME: text('marketing_category_name'),
      APPLICATIONNUMBER: text('application_number'),
      LABELERNAME: text('labeler_name'),
      SUBSTANCENAME: substance.name ?? '',
      ACTIVE_NUMERATOR_STRENGTH: substance.strength ?? '',
      ACTIVE_INGRED_UNIT: substance.unit ?? '',
      PHARM_CLASSES: list('pharm_class', ','),
    }
    const verzenio = { PRODUCTNDC: '0002-4483', PROPRIETARYNAME: 'Verzenio' }
    const packed = {
      PRODUCTNDC: text('ndc'),
      PACKAGEDESCRIPTION: text('packages[0].description'),
      NDCPACKAGECODE: `${text('ndc')}-${text('packages[0].package')}`,
    }
    const folder = await mkdtemp(join(tmpdir(), 'casemill-client-'))
    const [products, packages] = [join(folder, 'products.txt'), join(folder, 'packages.txt')]
    await writeFile(products, tableOf(FINISHED, [strattera, verzenio]))
    await writeFile(packages, tableOf(PACKAGES, [packed]))
    const run = { user: 'import', partial: true }
    await world.engine.registry.ndc.import({ products, packages }, run)
    await rm(folder, { recursive: true })
  }

  test('all expectations are there', () => {
    expect([readExpectations('ndc').length, readExpectations('hcpcs').length]).toEqual([3, 6])
  })

  const records = [...readExpectations('ndc'), ...readExpectations('hcpcs')].filter(({ request }) =>
    request.includes('/code/'),
  )
  test.each(records)('$request', async ({ request, expect: given }) => {
    const wanted = given as Record<string, unknown>
    const path = request.replace('GET ', '')
    const response = await ask(path)
    if (wanted.status === 404) {
      expect(await failureOf(response, 404, path)).toBe(wanted.message)
      return
    }
    const record = (await successOf(response, 200)) as Record<string, unknown>
    expect(strictFaults(path.startsWith('/rest/ndc') ? 'ndc' : 'hcpcs', record)).toEqual([])
    const { absent = [], ...facts } = wanted as { absent?: string[] } & Record<string, unknown>
    for (const name of absent) expect(record).not.toHaveProperty(name)
    for (const [name, value] of Object.entries(facts)) {
      const [place = '', anyOrder] = name.split(' (')
      const told = valueAt(record, place)
      if (anyOrder) expect((told as string[]).toSorted()).toEqual((value as string[]).toSorted())
      else expect(told, name).toEqual(value)
    }
  })

  test('reads 25 procedures at a time, of more than a hundred, and none past the last page', async () => {
    const response = await ask('/rest/hcpcs')
    expect(Number(response.headers.get('x-total-count'))).toBeGreaterThan(100)
    expect(await successOf(response, 200)).toHaveLength(25)
    expect(await successOf(await ask('/rest/hcpcs?page=1000'), 200)).toEqual([])
  })

  test('finds Ixempra under two codes, with scores, by category', async () => {
    const found = (await successOf(await ask('/rest/hcpcs?q=Ixempra'), 200)) as HcpcsProcedure[]
    expect(found.map(({ hcpcs_code }) => hcpcs_code).toSorted()).toEqual(['C9240', 'J9207'])
    for (const { score } of found) expect(score).toBeGreaterThan(0)
    const counts = ['CHEMOTHERAPY', 'IMMUNOTHERAPY'].map(async (category) => {
      const response = await ask(`/rest/hcpcs?q=Ixempra&category=${category}`)
      return ((await successOf(response, 200)) as unknown[]).length
    })
    expect(await Promise.all(counts)).toEqual([2, 0])
  })

  test('finds that the registry says something of a product, or not', async () => {
    const total = async (query: string) => {
      const response = await ask(`/rest/ndc?include_removed=true${query}`)
      await successOf(response, 200)
      return Number(response.headers.get('x-total-count'))
    }
    const [all, withSeer, without] = [
      await total(''),
      await total('&has_seer_info=true'),
      await total('&has_seer_info=false'),
    ]
    expect(withSeer).toBe(1)
    expect(withSeer + without).toBe(all)
  })
})

/** Returns the value at a path such as `seer.categories` or `packages[0].package`. */
function valueAt(record: unknown, place: string): unknown {
  return place
    .split(/[.[\]]+/)
    .filter((name) => name !== '')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], record)
}
