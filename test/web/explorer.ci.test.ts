import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_CELLS } from '../../fixtures/demo-commons.ts'
import { available } from '../available.ts'
import { sample } from '../depth.ts'
import { eventually } from '../eventually.ts'
import { runR } from '../peers/run-peer.ts'
import { barriers } from './support/browser.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { startPortal } from './support/portal.ts'
import { goTo, type Seen, settled } from './support/see-explorer.ts'

// Every page of the explorer on the demo, in a browser. Numbers are compared with those of the
// interface and of R, barriers are judged by axe-core (https://github.com/dequelabs/axe-core).

const LUNG = JSON.stringify({
  op: 'in',
  content: { field: 'primary_site', value: ['bronchus and lung'] },
})
const LUNG_COHORT = `cohort=${encodeURIComponent(`Lung:${LUNG}`)}`
const STAGED = 'algorithm=demo&version=1.0&in.site=C182&in.hist=8140&in.year_dx=2023&in.depth=B2'
const TUMOURS = `tumours=${encodeURIComponent('C504,8500,3,1,2019,,;C501,8520,3,2,2021,,')}`

const STAGING = `#/staging?${STAGED}&in.size=035&in.nodes_pos=02`

const WOMEN = JSON.stringify({
  op: 'in',
  content: { field: 'demographic.gender', value: ['female'] },
})
const TWO = `cohort=${encodeURIComponent(`Women:${WOMEN}`)}&${LUNG_COHORT}`

/** Each page in a state that shows all it has. */
const PAGES: readonly string[] = [
  '#/',
  `#/cohort?${LUNG_COHORT}`,
  `#/compare?${TWO}`,
  `#/survival?${LUNG_COHORT}&by=demographic.gender`,
  `#/genes?${LUNG_COHORT}`,
  `#/genes?${LUNG_COHORT}&cohort=All&gene=TP53`,
  `#/expression?${LUNG_COHORT}&size=25`,
  `#/differential?${LUNG_COHORT}`,
  `#/coexpression?${LUNG_COHORT}&gene=TP53`,
  '#/reads?place=TP53',
  '#/cells?genes=TP53,EGFR,KRAS&by=Group',
  `#/files?${LUNG_COHORT}`,
  STAGING,
  `#/primaries?${TUMOURS}&pair=0,1`,
  '#/reference?q=carcinoma',
  '#/submission?project=DEMO-TRIAL&open=1',
  '#/operator',
]

describe.skipIf(!available.chromium)('the explorer', () => {
  const demo = new DemoInBrowser()
  const { server } = demo

  beforeAll(async () => {
    await demo.start()
    const isReady = async () => (await fetch(`${server.address}/health/ready`)).ok
    // Until then the page for operators rightly says that it is not.
    await eventually(async () => expect(await isReady()).toBe(true))
  })
  afterAll(() => demo[Symbol.asyncDispose]())

  const see = (fragment: string, options?: Parameters<Browser['newContext']>[0]) =>
    demo.see(fragment, options)

  /** JSON that the interface answers. */
  async function ask<Answer>(path: string, query: Readonly<Record<string, string>>) {
    const response = await fetch(`${server.address}${path}?${new URLSearchParams(query)}`)
    expect(response.status).toBe(200)
    return (await response.json()) as Answer
  }

  const numberOf = (text: string) => Number(text.replaceAll(',', ''))

  /** Colours and widths of windows in which all of a page has to be in order. */
  const WINDOWS = sample(
    [
      ['dark', 390],
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
    ] as const,
    1,
    4,
  )
  /** Notes what gets the focus, and whether that is seen. */
  const WATCH = `
    window.walked = new Set(); window.unseen = []
    addEventListener('focusin', ({ target }) => {
      walked.add(target)
      if (getComputedStyle(target).outlineStyle === 'none' && target.id !== 'main') {
        unseen.push(target.outerHTML.slice(0, 120))
      }
    })`
  const NAMES =
    'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]'
  const TO_WALK = `[...document.querySelectorAll('${NAMES}')].filter((one) => one.checkVisibility())`

  describe.each(sample(PAGES, 6))('%s', (fragment) => {
    let seen: Seen
    beforeAll(async () => {
      seen = await see(fragment)
    })
    afterAll(() => seen?.page.context().close())

    test('is walked by the key Tab, and each stop is seen', async () => {
      const { page } = seen
      await page.evaluate(WATCH)
      const stops = Number(await page.evaluate(`${TO_WALK}.length`))
      expect(stops).toBeGreaterThan(15)
      // What comes while it is walked is met when it is walked again.
      const missed = async () => {
        // Parts of other libraries have stops of their own.
        for (let pressed = 0; pressed < stops + 40; pressed++) await page.keyboard.press('Tab')
        return page.evaluate(
          `${TO_WALK}.filter((one) => !walked.has(one)).map((one) => one.outerHTML.slice(0, 120))`,
        )
      }
      await expect.poll(missed).toEqual([])
      expect(await page.evaluate('unseen')).toEqual([])
    })

    test('has no barriers in light and dark, wide and narrow', async () => {
      const { page, complaints } = seen
      for (const [colorScheme, width] of WINDOWS) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await settled(page)
        expect(await page.locator('main h1').count()).toBe(1)
        expect(await page.locator('.note.error').allInnerTexts()).toEqual([])
        const scrolled = () => page.evaluate('document.documentElement.scrollWidth')
        await expect.poll(scrolled).toBeLessThanOrEqual(width)
        expect([colorScheme, width, await barriers(page)]).toEqual([colorScheme, width, []])
      }
      expect(complaints).toEqual([])
    })
  })

  test('on paper there are no controls, and tables are whole', async () => {
    const { page } = await see(`#/compare?${TWO}`, { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const hidden of ['nav', '.top', '.views', '.controls']) {
      expect(await page.locator(hidden).first().isVisible()).toBe(false)
    }
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    )
    expect(await page.locator('.picture svg').first().isVisible()).toBe(true)
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
    await page.context().close()
  })

  interface Counts {
    readonly data: {
      readonly pagination: { readonly total: number }
      readonly aggregations: Readonly<
        Record<string, { readonly buckets: readonly { key: string; doc_count: number }[] }>
      >
    }
  }

  interface Histograms {
    readonly data: {
      readonly aggregations: Readonly<
        Record<string, { readonly histogram: Counts['data']['aggregations'][string] }>
      >
    }
  }

  test('the first page counts what the interface counts', async () => {
    const { page } = await see('#/')
    const shown = await page
      .locator('dl.numbers div')
      .evaluateAll((all) =>
        all.map((one) => [
          one.querySelector('dt')?.textContent,
          one.querySelector('dd')?.textContent,
        ]),
      )
    const counted = await Promise.all(
      ['projects', 'cases', 'files', 'genes', 'ssms', 'cnvs', 'annotations'].map(
        async (name) => (await ask<Counts>(`/${name}`, { size: '0' })).data.pagination.total,
      ),
    )
    expect(shown.map(([, text]) => numberOf(text ?? ''))).toEqual(counted)
    await page.context().close()
  })

  test('cards follow the cohort, the address keeps it, and the way back undoes a step', async () => {
    const { page } = await see('#/cohort')
    const card = page.getByRole('region', { name: 'Gender' })
    await page.getByRole('region', { name: 'Primary site' }).getByLabel('breast').check()
    await settled(page)
    const filters = JSON.stringify({
      op: 'in',
      content: { field: 'primary_site', value: ['breast'] },
    })
    const { data } = await ask<Counts>('/cases', {
      size: '0',
      filters,
      facets: 'demographic.gender',
    })
    const expected = data.aggregations['demographic.gender']?.buckets.map(
      ({ key, doc_count }) => `${key} ${doc_count}`,
    )
    const shown = async () =>
      (await card.locator('label').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    await expect.poll(shown).toEqual(expected)
    expect(numberOf(await page.locator('.cohort-list .count').innerText())).toBe(
      data.pagination.total,
    )
    // Another page keeps the cohort; a copied link shows the same.
    await page.getByRole('link', { name: 'Files' }).click()
    expect(await page.locator('.chip-text').innerText()).toBe('Primary site: breast')
    const link = page.url()
    await page.goBack()
    await page.goBack()
    await expect.poll(() => page.locator('.chip').count()).toBe(0)
    const other = await demo.browser.newPage()
    await other.goto(link)
    expect(await other.locator('.chip-text').innerText()).toBe('Primary site: breast')
    await other.close()
    await page.context().close()
  })

  test('a bar of a histogram of dates is a year of the cohort, and years are typed', async () => {
    const { page } = await see('#/cohort')
    const name = 'created_datetime'
    const { data } = await ask<Histograms>('/cases', { size: '0', histograms: `${name}:year` })
    const { buckets = [] } = data.aggregations[name]?.histogram ?? {}
    const [first, second, third] = buckets
    const card = page.getByRole('region', { name: 'Created datetime', exact: true })
    const total = async () => numberOf(await page.locator('.cohort-list .count').innerText())
    await card.getByRole('button', { name: `${second?.key}: ${second?.doc_count} records` }).click()
    await expect.poll(total).toBe(second?.doc_count)
    expect(await page.locator('.chip-text').innerText()).toBe(`Created datetime: ${second?.key}`)
    const end = card.getByLabel('to', { exact: true })
    await end.fill(third?.key ?? '')
    await end.press('Enter')
    await expect.poll(total).toBe((second?.doc_count ?? 0) + (third?.doc_count ?? 0))
    // What is no year is not sent.
    await end.fill('20')
    await end.press('Enter')
    await settled(page)
    const words = `Created datetime: ${second?.key} to ${third?.key}`
    expect(await page.locator('.chip-text').innerText()).toBe(words)
    // The card goes on to show the other years.
    const bar = card.getByRole('button', { name: `${first?.key}: ${first?.doc_count} records` })
    expect(await bar.isVisible()).toBe(true)
    await page.context().close()
  })

  test('two cohorts are compared by the cases that each has', async () => {
    interface Ids {
      readonly data: {
        readonly hits: readonly { readonly case_id: string; readonly primary_site: string }[]
      }
    }
    const fields = 'case_id,primary_site'
    const [women = [], lung = []] = await Promise.all(
      [WOMEN, LUNG].map(
        async (filters) => (await ask<Ids>('/cases', { filters, fields, size: '5000' })).data.hits,
      ),
    )
    const ofLung = new Set(lung.map(({ case_id }) => case_id))
    const both = women.filter(({ case_id }) => ofLung.has(case_id)).length
    const { page } = await see(`#/compare?${TWO}&by=primary_site`)
    const rowsOf = async (title: string) => {
      const figure = page.locator('.figure', { has: page.getByRole('heading', { name: title }) })
      await figure.getByRole('button', { name: 'Table', exact: true }).click()
      const more = figure.getByRole('button', { name: /^Show more/ })
      while (await more.isVisible()) await more.click()
      return figure
        .locator('tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
        )
    }
    const [overlap = []] = await rowsOf('Overlap')
    expect([...overlap.slice(0, 2), ...overlap.slice(2).map(numberOf)]).toEqual([
      ...['Women', 'Lung', women.length - both, both, lung.length - both],
    ])
    // A cohort by the field that it was chosen by has its own values alone.
    const sides = await rowsOf('Primary site side by side')
    const shown = new Map(
      sides.map(([site, name, cases = '']) => [`${name} ${site}`, numberOf(cases)]),
    )
    const sites = Map.groupBy(women, ({ primary_site }) => primary_site.toLowerCase())
    for (const [site, cases] of sites) expect(shown.get(`Women ${site}`)).toBe(cases.length)
    expect([...shown].filter(([name, cases]) => name.startsWith('Lung') && cases > 0)).toEqual([
      ['Lung bronchus and lung', lung.length],
    ])
    expect(await page.locator('.result').innerText()).toMatch(/over 2 groups: p = 0\.\d+/)
    await page.context().close()
  })

  test('cohorts are saved as sets, combined, and filter as their cases do', async () => {
    const { page, complaints } = await see(`#/compare?${TWO}`)
    const [women, lung] = [WOMEN, LUNG].map((filter) => JSON.parse(filter) as unknown)
    const totalOf = async (...content: readonly unknown[]) => {
      const filters = JSON.stringify({ op: 'and', content })
      return (await ask<Counts>('/cases', { size: '0', filters })).data.pagination.total
    }
    const [ofWomen, ofLung, both] = await Promise.all([
      totalOf(women),
      totalOf(lung),
      totalOf(women, lung),
    ])
    const count = async () =>
      numberOf(await page.locator('.cohort-list .active .count').innerText())
    const section = page.locator('section', {
      has: page.getByRole('heading', { name: 'Make a set of them' }),
    })
    // Each makes a cohort of its own, after which the first two are asked for again.
    for (const [button, cases] of [
      ['In any of them', ofWomen + ofLung - both],
      ['In all of them', both],
      ['In the first alone', ofWomen - both],
    ] as const) {
      await goTo(page, `#/compare?${TWO}`)
      await section.getByRole('button', { name: button }).click()
      await expect.poll(count).toBe(cases)
      const parts = await section
        .locator('tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
        )
      expect(
        parts.map(([within, outside, size]) => [within, outside, numberOf(size ?? '')]),
      ).toEqual([
        ['Women', 'Lung', ofWomen - both],
        ['Lung', 'Women', ofLung - both],
        ['Women, Lung', '', both],
      ])
    }
    // A set filters other pages, too, and is saved from a cohort of values.
    await goTo(page, `#/files?${LUNG_COHORT}`)
    const found = () => page.locator('.cart h2').innerText()
    const files = await found()
    await page.getByRole('button', { name: 'Save as a set' }).click()
    // The set has as many cases as the cohort, so its condition tells when it is the cohort.
    const chip = () => page.locator('.chip-text').innerText()
    await expect.poll(chip).toMatch(/^Case id: set [0-9a-f]{6}…$/)
    await expect.poll(count).toBe(ofLung)
    await settled(page)
    expect(await found()).toBe(files)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test.skipIf(!available.survival)(
    'survival shows the numbers at risk, and the p value, of R',
    async () => {
      const by = 'demographic.gender'
      const { page } = await see(`#/survival?by=${by}`)
      const texts = await page.locator('.picture svg text').allTextContents()
      const said = await page.locator('.result').innerText()
      const groups = ['female', 'male']
      const filters = groups.map((value) => ({
        op: 'in',
        content: { field: `cases.${by}`, value: [value] },
      }))
      interface Survival {
        readonly results: readonly {
          readonly donors: readonly { readonly time: number; readonly censored: boolean }[]
        }[]
      }
      const { results } = await ask<Survival>('/analysis/survival', {
        filters: JSON.stringify(filters),
      })
      const rows = results.flatMap(({ donors }, group) =>
        donors.map(({ time, censored }) => `${group}\t${time}\t${censored ? 0 : 1}`),
      )
      const script = [
        'library(survival)',
        'd <- read.table(text = commandArgs(TRUE)[1], col.names = c("g", "t", "e"))',
        'for (g in 0:1) { f <- survfit(Surv(t, e) ~ 1, d[d$g == g, ])',
        'cat(summary(f, times = 0:5 * 365.25, extend = TRUE)$n.risk, "\\n") }',
      ].join('\n')
      const [female = '', male = ''] = (await runR(script, [rows.join('\n')])).split('\n')
      // Each group's numbers stand beside each other below the picture, a year apart.
      for (const line of [female, male]) {
        const [first = '', ...others] = line.trim().split(/\s+/)
        const shown = texts.map(numberOf)
        const place = shown.findIndex(
          (number, index) =>
            number === Number(first) && shown[index + 1] === Number(others[0] ?? ''),
        )
        expect([line, shown.slice(place, place + 6)]).toEqual([
          line,
          [first, ...others].map(Number),
        ])
      }
      expect(said).toMatch(/over 2 groups: p = 0\.\d+/)
      await page.context().close()
    },
  )

  test('expression shows the genes that the interface selects, and their values', async () => {
    const { page } = await see(`#/expression?${LUNG_COHORT}&size=25`)
    const case_filters = { ...JSON.parse(LUNG), content: { ...JSON.parse(LUNG).content } }
    case_filters.content.field = 'cases.primary_site'
    const post = async (path: string, body: unknown) => {
      const headers = { 'Content-Type': 'application/json' }
      return fetch(`${server.address}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
    }
    interface Selection {
      readonly gene_selection: readonly { readonly gene_id: string; readonly symbol: string }[]
    }
    const selection = { case_filters, gene_type: 'protein_coding', selection_size: 25 }
    const selected = await post('/gene_expression/gene_selection', selection)
    const genes = ((await selected.json()) as Selection).gene_selection
    const asked = {
      case_filters,
      gene_ids: genes.map(({ gene_id }) => gene_id),
      tsv_units: 'median_centered_log2_uqfpkm',
    }
    const table = await (await post('/gene_expression/values', asked)).text()
    const [header = '', ...lines] = table
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    const expected = lines.map((cells) => [cells[0], cells[1], cells.at(-1)]).sort()
    await page.getByRole('button', { name: 'Table', exact: true }).first().click()
    await page.getByRole('button', { name: /^Show more/ }).click()
    const heads = await page.locator('.figure th').allInnerTexts()
    const rows = await page
      .locator('.figure tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
    const places = [1, heads.indexOf(header[1] ?? ''), heads.indexOf(header.at(-1) ?? '')]
    const shown = rows.map((row) => places.map((place) => row[place])).sort()
    const rounded = (all: readonly (readonly (string | undefined)[])[]) =>
      all.map(([id, ...values]) => [id, ...values.map((value) => Number(value).toFixed(4))])
    expect(rounded(shown)).toEqual(rounded(expected))
    await page.context().close()
  })

  interface Row {
    readonly gene_id: string
    readonly symbol: string
    readonly p_value: number
    readonly spearman: number
  }

  /** Genes that the interface answers. */
  async function genesOf(path: string, body: unknown): Promise<readonly Row[]> {
    const response = await fetch(`${server.address}/gene_expression/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return ((await response.json()) as { readonly genes: readonly Row[] }).genes
  }

  /** Tables round to six digits. */
  const asShown = (value: number) => Number(value.toPrecision(6))

  /** Ids and one number of the first rows of a table. */
  const firstRows = (page: Page, place: number) =>
    page.locator('.figure tbody tr').evaluateAll(
      (all, at) =>
        all.map((row) => {
          const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')
          return [cells[1], Number(cells[at])]
        }),
      place,
    )

  test('two groups shows the tests of the interface, and genes of men differ from those of women', async () => {
    const men = { op: 'in', content: { field: 'demographic.gender', value: ['male'] } }
    const { page } = await see(
      `#/differential?cohort=${encodeURIComponent(`Men:${JSON.stringify(men)}`)}`,
    )
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    men.content.field = 'cases.demographic.gender'
    const genes = await genesOf('differential', { case_filters: men })
    const expected = genes.slice(0, 20).map(({ gene_id, p_value }) => [gene_id, asShown(p_value)])
    expect(await firstRows(page, 5)).toEqual(expected)
    const [first] = (
      await ask<{ data: { hits: readonly { gene_chromosome: string }[] } }>('/genes', {
        filters: JSON.stringify({
          op: '=',
          content: { field: 'gene_id', value: genes[0]?.gene_id },
        }),
        fields: 'gene_chromosome',
      })
    ).data.hits
    expect(first?.gene_chromosome).toBe('Y')
    await page.context().close()
  })

  test('co-expression shows the correlations of the interface', async () => {
    const { page } = await see(`#/coexpression?${LUNG_COHORT}&gene=TP53`)
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const lung = JSON.parse(LUNG)
    lung.content.field = 'cases.primary_site'
    const asked = { case_filters: lung, gene_id: 'ENSG00000141510' }
    const expected = (await genesOf('coexpression', asked))
      .slice(0, 20)
      .map(({ gene_id, spearman }) => [gene_id, asShown(spearman)])
    expect(await firstRows(page, 3)).toEqual(expected)
    await page.context().close()
  })

  test('cells are told apart by group, and a gene that marks a group is high in it', async () => {
    const { page } = await see(`#/cells?file=${DEMO_CELLS.id}&genes=EGFR&by=Group`)
    // The picture is drawn when its width is known.
    await page.locator('.picture svg text', { hasText: '% zero' }).first().waitFor()
    const labels = await page.locator('.picture svg text').allTextContents()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const shown = await page
      .locator('.figure tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
    const headers = { 'Content-Type': 'application/json' }
    const post = async <Answer>(path: string, body: unknown) => {
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await (await fetch(`${server.address}${path}`, sent)).json()) as Answer
    }
    interface Groups {
      readonly data: { annotation: { values: readonly string[]; codes: readonly number[] } }
    }
    interface Cells {
      readonly data: readonly { readonly cells: readonly { readonly value: number }[] }[]
    }
    const file_id = DEMO_CELLS.id
    const { annotation } = (
      await post<Groups>('/scrna_seq/cell_annotations', { file_id, annotation: 'Group' })
    ).data
    const gene = { file_id, gene_ids: ['ENSG00000146648'] }
    const cells = (await post<Cells>('/scrna_seq/gene_expression', gene)).data[0]?.cells ?? []
    const counted = annotation.values.toSorted().map((group) => {
      const code = annotation.values.indexOf(group)
      const values = cells.filter((_, cell) => annotation.codes[cell] === code)
      const above = values.filter(({ value }) => value > 0)
      return ['EGFR', group, values.length, above.length]
    })
    expect(
      shown.map(([name, group, all, above]) => [name, group, Number(all), Number(above)]),
    ).toEqual(counted)
    // Three groups have it in about one cell of ten (fixtures/single-cell.ts).
    const zeros = counted.map(([, , all, above]) => 100 - (100 * Number(above)) / Number(all))
    expect(zeros.filter((part) => part > 80)).toHaveLength(3)
    expect(zeros.filter((part) => part < 10)).toHaveLength(1)
    expect(labels.filter((label) => label.endsWith('% zero'))).toEqual(
      zeros.map((part) => `${Math.round(part)} % zero`),
    )
    await page.context().close()
  })

  test('staging shows the stage of the interface, and each row that decided', async () => {
    const { page } = await see(STAGING)
    const response = await fetch(`${server.address}/rest/staging/demo/1.0/stage?explain=true`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({
        ...{ site: 'C182', hist: '8140', year_dx: '2023', depth: 'B2', size: '035' },
        nodes_pos: '02',
      }),
    })
    interface Staged {
      readonly output: Readonly<Record<string, string>>
      readonly explain: readonly { readonly table: string; readonly purpose: string }[]
    }
    const { output, explain } = (await response.json()) as Staged
    const shown = await page.locator('dl.outputs dd').allInnerTexts()
    expect(shown).toEqual(Object.values(output).map((value) => value || '–'))
    const decided = explain.filter(({ purpose }) => ['path', 'jump', 'selection'].includes(purpose))
    expect(await page.locator('.path summary strong').allInnerTexts()).toEqual(
      decided.map(({ table }) => table),
    )
    await page.getByRole('button', { name: 'Try every other code' }).click()
    const row = page.getByRole('row').filter({ hasText: 'No growth found' })
    await row.waitFor()
    expect(await row.innerText()).toContain('stage: 3 → U')
    await page.context().close()
  })

  test('a file of cases is staged as the interface stages it, line by line', async () => {
    const cases = Array.from({ length: 600 }, (_, i) => ({
      ...{ site: i % 50 === 7 ? 'C509' : 'C182', hist: '8140', year_dx: '2023' },
      ...{ depth: ['A1', 'B1', 'B2', 'XX'][i % 4] ?? '', size: '035' },
      ...{ nodes_pos: String(i % 3).padStart(2, '0') },
    }))
    const response = await fetch(`${server.address}/rest/staging/demo/1.0/stage/batch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', ...server.credentials },
      body: cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
    })
    const answers = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly result: string; readonly output: object })
    const names = Object.keys(cases[0] ?? {})
    const rows = cases.map((one) => Object.values(one).join(','))
    const { page } = await see('#/staging?algorithm=demo&version=1.0')
    await page.getByText('Stage a file of cases').click()
    const buffer = Buffer.from(`${names.join(',')}\n${rows.join('\n')}\n`)
    const file = { name: 'cases.csv', mimeType: 'text/csv', buffer }
    await page.locator('.case-file input').setInputFiles(file)
    await page.getByRole('heading', { name: '600 cases' }).waitFor()
    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save results as JSON lines' }).click()
    const saved = await readFile(await (await started).path(), 'utf8')
    const shown = saved
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as (typeof answers)[number] & { readonly line: number })
    expect(shown.map(({ line }) => line)).toEqual(cases.map((_, i) => i + 2))
    expect(shown.map(({ result, output }) => ({ result, output }))).toEqual(
      answers.map(({ result, output = {} }) => ({ result, output })),
    )
    const failed = answers.filter(({ result }) => result !== 'STAGED').length
    expect(failed).toBeGreaterThan(0)
    const caption = page.getByRole('table', { name: 'Cases that were not staged' })
    expect(await caption.locator('tbody tr').count()).toBe(Math.min(failed, 20))
    await page.context().close()
  })

  test('multiple primaries shows the rule that decided a pair', async () => {
    const { page } = await see(`#/primaries?${TUMOURS}`)
    expect(await page.locator('main h2').first().innerText()).toBe('2 primaries')
    await page.locator('.matrix button').first().click()
    // Breast, rule M7: both sides (Solid Tumor Rules).
    await page.locator('li.fits', { hasText: 'M7' }).waitFor()
    await page.context().close()
  })

  test('codes are read as people write them, and what is invalid is no primary', async () => {
    const primaries = (tumours: string) => see(`#/primaries?tumours=${encodeURIComponent(tumours)}`)
    const headline = async (tumours: string) => {
      const { page } = await primaries(tumours)
      await page.locator('.matrix').waitFor()
      const text = await page.locator('main h2').first().innerText()
      await page.context().close()
      return text
    }
    // The answer to the same tumours in the registry's own form.
    expect(await headline('C504,8500,3,1,2019,,;C501,8500,3,1,2020,,')).toBe('1 primary')
    expect(await headline('c50.4,8500/3,,1,2019,,;C50.1,M-8500/3,3,1,2020,,')).toBe('1 primary')
    expect(await headline('C504,8500,3,1,2019,,;C9X,8500,3,1,2020,,')).toBe(
      '1 primary, 1 invalid and not counted',
    )
    const { page } = await primaries('c50.4,8500/3,2,1,20,,;C501,8500,3,1,2020,,')
    expect(await page.getByRole('alert').locator('li').allInnerTexts()).toEqual([
      'Tumour 1: 8500/3 says behaviour 3, and the form 2',
      'Tumour 1: write the year 20 with four digits: 1920 or 2020',
    ])
    expect(await page.locator('.readings li').allInnerTexts()).toEqual([
      'Tumour 1: c50.4 is read as C504',
      'Tumour 1: 8500/3 is read as 8500 with behaviour 3',
    ])
    expect(await page.locator('.matrix').count()).toBe(0)
    await page.context().close()
  })

  test('a search of the reference opens what it finds', async () => {
    const { page } = await see('#/reference')
    await page.getByLabel('Name, code or word').fill('doxorubicin')
    await page.getByRole('link', { name: 'Doxorubicin', exact: true }).click()
    await page.locator('.facts dd', { hasText: 'Anthracycline' }).waitFor()
    await page.context().close()
  })

  test('submission shows what a project has, and what is wrong with what was sent', async () => {
    const sent = await fetch(`${server.address}/submission/DEMO/TRIAL/_dry_run`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({ type: 'case', submitter_id: 'faulty', projects: { code: 'TRIAL' } }),
    })
    interface Refused {
      readonly transaction_id: number
      readonly entities: readonly { readonly errors: readonly { readonly message: string }[] }[]
    }
    const { transaction_id, entities } = (await sent.json()) as Refused
    const { page } = await see(`#/submission?project=DEMO-TRIAL&open=${transaction_id}`)
    const shown = page.getByRole('region', { name: `Transaction ${transaction_id}` })
    const messages = await shown.locator('tbody td:last-child').allInnerTexts()
    expect(messages).toEqual(entities[0]?.errors.map(({ message }) => message))
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const row = page.getByRole('row').filter({ has: page.getByText('sample', { exact: true }) })
    const counted = await fetch(`${server.address}/submission/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({ query: '{ _sample_count(project_id: "DEMO-TRIAL") }' }),
    })
    const { data } = (await counted.json()) as { readonly data: Record<string, number> }
    expect(await row.locator('td').last().innerText()).toBe(String(data._sample_count))
    await page.context().close()
  })

  test('a table is saved as TSV, a picture as SVG and PNG', async () => {
    const { page } = await see('#/')
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ])
      const chunks: Buffer[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks)
    }
    const svg = (await saved('SVG')).toString()
    expect(svg).toMatch(/^<svg [^>]*xmlns=/)
    // Whoever opens it has no style sheet of ours.
    expect(svg).not.toContain('var(--')
    expect((await saved('PNG')).subarray(1, 4).toString()).toBe('PNG')
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const lines = (await saved('Save as TSV')).toString().trimEnd().split('\n')
    const { data } = await ask<Counts>('/cases', { size: '0', facets: 'primary_site' })
    const buckets = data.aggregations.primary_site?.buckets ?? []
    expect(lines).toEqual([
      'Primary site\tCases',
      ...buckets.map(({ key, doc_count }) => `${key}\t${doc_count}`),
    ])
    await page.context().close()
  })

  // docs/how-to/public-portal.md
  describe.skipIf(!available.nginx)(
    'a page that asks as the public portal does, behind one rule',
    () => {
      interface Said<Body = unknown> {
        readonly status: number
        readonly text: string
        readonly body: Body
      }
      let portal: Awaited<ReturnType<typeof startPortal>>
      let page: Page
      const run = <Answer>(script: string) => page.evaluate(script) as Promise<Answer>
      const asked = <Body>(path: string, ...more: readonly unknown[]) =>
        run<Said<Body>>(`ask(${[path, ...more].map((one) => JSON.stringify(one)).join(', ')})`)

      beforeAll(async () => {
        portal = await startPortal(server.address)
        page = await (await demo.browser.newContext()).newPage()
        // Below a folder, whose path the cookies get that a script sets.
        await page.goto(`${portal.address}/cases/one`)
      })
      afterAll(async () => {
        await page?.context().close()
        await portal?.[Symbol.asyncDispose]()
      })

      test('counts are those of REST', async () => {
        const query =
          '{viewer{repository{files{hits(first:0){total}}}explore{cases{hits(first:0){total}}}}}'
        const { status, body } = await asked('/auth/api/v0/graphql', { query, variables: {} })
        const [files, cases] = await Promise.all(
          ['/files', '/cases'].map(
            async (path) => (await ask<Counts>(path, { size: '0' })).data.pagination.total,
          ),
        )
        expect([status, body]).toEqual([
          200,
          {
            data: {
              viewer: {
                repository: { files: { hits: { total: files } } },
                explore: { cases: { hits: { total: cases } } },
              },
            },
          },
        ])
      })

      test('a download by form ends the cookie that the page waits for', async () => {
        const form = [
          ['filters', WOMEN.replace('demographic', 'cases.demographic')],
          ['return_type', 'manifest'],
          ['size', '1000'],
          ['filename', 'women.txt'],
        ]
        const [download, key] = await Promise.all([
          page.waitForEvent('download'),
          run<string>(`download('/files', ${JSON.stringify(form)})`),
        ])
        expect(download.suggestedFilename()).toBe('women.txt')
        await expect.poll(() => run(`isAwaited('${key}')`)).toBe(false)
      })

      test('a download that fails leaves the cookie, and its words in the frame', async () => {
        const key = await run<string>(`download('/files', [['filters', '{"op":"in"}']])`)
        await expect.poll(() => run(`said('${key}')`)).toMatch(/^\{"error":"/)
        expect(await run(`isAwaited('${key}')`)).toBe(true)
      })

      test('cohorts outlive a new start of the page, which tries to remove their cookie', async () => {
        const cohorts = '/auth/api/v0/cohorts'
        expect((await asked(cohorts)).body).toEqual([])
        const cohort = { name: 'Women', filters: JSON.parse(WOMEN), type: 'dynamic' }
        const made = await asked(`${cohorts}?delete_existing=false`, cohort)
        expect(made).toMatchObject({ status: 201, body: cohort })
        expect(await run('document.cookie')).not.toContain('gdc_context_id')
        await page.reload()
        expect((await asked(`${cohorts}?include_case_ids=true`)).body).toMatchObject([cohort])
        const taken = await asked(`${cohorts}?delete_existing=false`, { ...cohort, name: 'women' })
        expect(taken).toMatchObject({
          status: 400,
          body: { message: 'Bad Request: Name must be unique (case-insensitive)' },
        })
      })

      test('a window logs in by a token, and goes back to the page', async () => {
        expect((await asked('/auth/user')).status).toBe(401)
        expect((await asked('/auth/token/refresh')).status).toBe(401)
        const [window] = await Promise.all([
          page.waitForEvent('popup'),
          run(`void open('/auth?next=' + encodeURIComponent(location.origin + '/projects'))`),
        ])
        const token = server.credentials['X-Auth-Token'] ?? ''
        await window.getByLabel('Token').fill(token)
        await window.getByRole('button', { name: 'Log in' }).click()
        await window.waitForURL(`${portal.address}/projects`)
        await window.close()
        const user = await asked<{ readonly projects: { readonly gdc_ids: unknown } }>('/auth/user')
        expect(user).toMatchObject({ status: 200, body: { username: expect.any(String) } })
        expect(user.body.projects.gdc_ids).toBeTypeOf('object')
        expect((await asked('/auth/token/refresh')).text).toBe(token)
        expect(await run('document.cookie')).not.toContain(token)
        await asked('/auth/logout?next=/')
        expect((await asked('/auth/user')).status).toBe(401)
      })

      test('tiles and the viewer are not there, in words', async () => {
        for (const path of ['/tile/metadata/one', '/custom/proteinpaint/genomes']) {
          const at = path.startsWith('/tile') ? `/auth/api/v0${path}` : `/auth/api${path}`
          const { status, body } = await asked<{ readonly message: string }>(at)
          expect([status, body.message]).toEqual([404, expect.any(String)])
        }
      })
    },
  )

  test('secrets stay in the memory of the page', async () => {
    const { page } = await see('#/staging')
    const key = server.credentials['X-SEERAPI-Key'] ?? ''
    expect(key).not.toBe('')
    expect(page.url()).not.toContain(key)
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).toBe('[{},{},""]')
    await page.reload()
    await page.getByText('Staging needs a registry key').waitFor()
    await page.context().close()
  })
})
