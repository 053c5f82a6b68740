import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_FILES } from '../../fixtures/demo-commons.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { Visitor } from './support/visitor.ts'

// Questions of a newcomer are answered in the browser alone. Each task begins at the first page, signed in. The
// answers are compared with those of the interface, of samtools, or of the rules that are named. Steps (clicks
// and fields) and seconds of each are printed at the end.

const among = (field: string, value: string) => ({ op: 'in', content: { field, value: [value] } })
const LUNG = among('primary_site', 'bronchus and lung')
const TP53 = { id: 'ENSG00000141510', region: 'chr17:7661779-7687550' }

describe.skipIf(!available.chromium)('a newcomer finds out', () => {
  const demo = new DemoInBrowser()
  const { server } = demo
  const told: string[] = []

  beforeAll(async () => {
    await demo.start()
    if (available.shared) {
      await server.secret('import', 'staging', publicData('data/staging/eod_public-3.3.zip'))
    }
  })
  afterAll(async () => {
    await demo[Symbol.asyncDispose]()
    process.stdout.write(`${told.join('\n')}\n`)
  })

  /** Answers a question in the browser, and records the effort. */
  async function find(
    question: string,
    answer: (visitor: Visitor) => Promise<void>,
  ): Promise<void> {
    const { page, complaints } = await demo.see('#/')
    const visitor = new Visitor(page)
    const start = performance.now()
    await answer(visitor)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    told.push(`${String(visitor.steps).padStart(3)} steps ${seconds.padStart(6)} s  ${question}`)
    expect(complaints).toEqual([])
    await page.context().close()
  }

  async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
    const sent = await fetch(`${server.address}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await sent.json()) as Answer
  }

  interface Found {
    readonly data: { readonly pagination: { readonly total: number } }
  }

  test('how many women with lung tumours before 50 have expression data', () =>
    find('women with lung tumours before 50 who have expression data', async (visitor) => {
      await visitor.open('Cohort builder')
      await visitor.check('Gender', 'female')
      await visitor.check('Primary site', 'bronchus and lung')
      const age = visitor.page.getByRole('region', { name: 'Age at diagnosis', exact: true })
      await visitor.type(age.getByLabel('to', { exact: true }), '50')
      await visitor.check('Data type of files', 'Gene Expression Quantification')
      const filters = {
        op: 'and',
        content: [
          ...[LUNG, among('demographic.gender', 'female')],
          ...[among('files.data_type', 'Gene Expression Quantification')],
          { op: '<=', content: { field: 'diagnoses.age_at_diagnosis', value: 50 * 365.25 } },
        ],
      }
      const { data } = await ask<Found>('/cases', { filters, size: 0 })
      expect(data.pagination.total).toBeGreaterThan(0)
      await expect
        .poll(() => visitor.page.locator('.cohort-list .count').innerText())
        .toBe(String(data.pagination.total))
    }))

  test('whether men with lung tumours live as long as women', () =>
    find('whether men with lung tumours live as long as women', async (visitor) => {
      await visitor.open('Cohort builder')
      await visitor.check('Primary site', 'bronchus and lung')
      await visitor.open('Survival')
      await visitor.choose('Groups', 'My cohort by gender')
      const groups = ['female', 'male'].map((gender) => ({
        op: 'and',
        content: [
          among('cases.primary_site', 'bronchus and lung'),
          among('cases.demographic.gender', gender),
        ],
      }))
      const { overallStats } = await ask<{
        readonly overallStats: { readonly logRankPValue: number }
      }>(`/analysis/survival?filters=${encodeURIComponent(JSON.stringify(groups))}`)
      const p = overallStats.logRankPValue
      const shown = p < 0.001 ? p.toExponential(2) : p.toPrecision(3)
      await expect
        .poll(() => visitor.page.locator('.result').innerText())
        .toContain(`Log-rank test over 2 groups: p = ${shown} `)
    }))

  test('which gene is mutated in most lung tumours', () =>
    find('the gene that is mutated in most lung tumours', async (visitor) => {
      await visitor.open('Cohort builder')
      await visitor.check('Primary site', 'bronchus and lung')
      await visitor.open('Genes')
      const [first = []] = await visitor.tableOf('Which genes are mutated most?')
      interface Top {
        readonly data: { readonly hits: readonly { readonly symbol: string }[] }
      }
      const filters = among('case.primary_site', 'bronchus and lung')
      const { data } = await ask<Top>(
        `/analysis/top_mutated_genes_by_project?size=1&fields=symbol&filters=${encodeURIComponent(JSON.stringify(filters))}`,
      )
      expect(first).toContain(data.hits[0]?.symbol)
    }))

  test('which gene tells men from women most clearly', () =>
    find('the gene that tells men from women most clearly', async (visitor) => {
      await visitor.open('Cohort builder')
      await visitor.check('Gender', 'female')
      await visitor.open('Two groups')
      const [first = []] = await visitor.tableOf(/./)
      interface Differences {
        readonly genes: readonly { readonly gene_id: string }[]
      }
      const case_filters = among('cases.demographic.gender', 'female')
      const { genes } = await ask<Differences>('/gene_expression/differential', { case_filters })
      expect(first).toContain(genes[0]?.gene_id)
    }))

  test('in which group of cells EGFR is high', () =>
    find('the group of cells in which EGFR is high', async (visitor) => {
      await visitor.open('Single cells')
      await visitor.type('Genes by symbol or id, at most 10', 'EGFR')
      await visitor.choose('Cells', 'by Group')
      const rows = await visitor.tableOf('Which cells express the genes, by Group?')
      const high = rows.filter(([, , cells, above]) => Number(above) > 0.9 * Number(cells))
      // The gene marks one group of four (fixtures/single-cell.ts): the last one.
      expect(high.map(([, group]) => group)).toEqual(['3'])
    }))

  test.skipIf(!available.samtools)('how well TP53 is covered in the tumour', () =>
    find('how well TP53 is covered in the tumour', async (visitor) => {
      await visitor.open('Reads')
      await visitor.type('Gene or region', 'TP53')
      const method = visitor.page.locator('.figure figcaption').first()
      await expect.poll(() => method.innerText()).toContain('on a base on average')
      const folder = await mkdtemp(join(tmpdir(), 'casemill-newcomer-'))
      for (const [id, name] of [
        [DEMO_FILES[0].id, 'a.bam'],
        [DEMO_FILES[0].indexId, 'a.bam.bai'],
      ] as const) {
        const sent = await fetch(`${server.address}/data/${id}`)
        await writeFile(join(folder, name), Buffer.from(await sent.arrayBuffer()))
      }
      const words = ['depth', '-a', '-r', TP53.region, 'a.bam']
      const { stdout } = await promisify(execFile)('samtools', words, {
        cwd: folder,
        maxBuffer: 64 << 20,
      })
      await rm(folder, { recursive: true })
      const depths = stdout
        .trimEnd()
        .split('\n')
        .map((line) => Number(line.split('\t')[2]))
      const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length
      expect(await method.innerText()).toContain(`${mean.toFixed(1)} on a base on average`)
    }),
  )

  test('which open files of lung tumours have expression, as a manifest', () =>
    find('a manifest of open files of expression of lung tumours', async (visitor) => {
      await visitor.open('Cohort builder')
      await visitor.check('Primary site', 'bronchus and lung')
      await visitor.open('Files')
      await visitor.check('Access', 'open')
      await visitor.check('Data type', 'Gene Expression Quantification')
      visitor.steps++
      const [download] = await Promise.all([
        visitor.page.waitForEvent('download'),
        visitor.page.getByRole('button', { name: 'Save the manifest' }).click(),
      ])
      const chunks: Buffer[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
      const lines = Buffer.concat(chunks).toString().trimEnd().split('\n')
      const filters = {
        op: 'and',
        content: [
          ...[among('access', 'open'), among('data_type', 'Gene Expression Quantification')],
          among('cases.primary_site', 'bronchus and lung'),
        ],
      }
      const { data } = await ask<Found>('/files', { filters, size: 0 })
      expect(lines.length - 1).toBe(data.pagination.total)
      expect(data.pagination.total).toBeGreaterThan(0)
    }))

  interface Staged {
    readonly output: Readonly<Record<string, string>>
    readonly explain: readonly { readonly table: string; readonly purpose: string }[]
  }

  /** Fills in the form, and compares the page with the interface's answer. */
  async function stage(
    visitor: Visitor,
    path: string,
    given: Readonly<Record<string, string>>,
  ): Promise<Staged> {
    for (const [key, value] of Object.entries(given)) {
      const field = visitor.page.locator('.fields label', {
        has: visitor.page.getByText(key, { exact: true }),
      })
      await field.waitFor({ state: 'attached' })
      if (!(await field.isVisible())) {
        await visitor.click(visitor.page.getByText('that are not used for staging'))
      }
      await visitor.type(field.locator('input'), value)
    }
    const staged = await ask<Staged>(`/rest/staging/${path}/stage?explain=true`, given)
    await expect
      .poll(() => visitor.page.locator('dl.outputs dd').allInnerTexts())
      .toEqual(Object.values(staged.output).map((value) => value || '–'))
    const decided = staged.explain.filter(({ purpose }) =>
      ['path', 'jump', 'selection'].includes(purpose),
    )
    expect(await visitor.page.locator('.path summary strong').allInnerTexts()).toEqual(
      decided.map(({ table }) => table),
    )
    return staged
  }

  test('why a tumour of the colon got its stage', () =>
    find('why this tumour got this stage, by the algorithm of the demo', async (visitor) => {
      await visitor.open('Staging')
      const given = { site: 'C182', hist: '8140', year_dx: '2023', depth: 'B2', size: '035' }
      const { output } = await stage(visitor, 'demo/1.0', { ...given, nodes_pos: '02' })
      // In fixtures/staging, growth into the wall with two nodes is stage 3.
      expect(output.stage).toBe('3')
      await visitor.click(visitor.page.locator('.path summary').last())
      await visitor.page.locator('tr.fits').first().waitFor()
    }))

  test.skipIf(!available.shared)('why a tumour of the breast got its stage by EOD', () =>
    find('why this tumour got this stage, by EOD', async (visitor) => {
      await visitor.open('Staging')
      await visitor.choose('Algorithm', 'eod_public')
      const { output } = await stage(visitor, 'eod_public/3.3', {
        site: 'C504',
        hist: '8500',
        year_dx: '2021',
        behavior: '3',
        eod_primary_tumor: '200',
        eod_regional_nodes: '000',
        eod_mets: '00',
      })
      // In Summary Stage 2018, 2 means regional by direct extension.
      expect(output.ss2018_derived).toBe('2')
      await visitor.click(visitor.page.locator('.path summary').last())
      await visitor.page.locator('tr.fits').first().waitFor()
    }),
  )

  test('whether tumours of both breasts are two primaries', () =>
    find(
      'whether tumours of both breasts are two primaries, and by which rule',
      async (visitor) => {
        await visitor.open('Multiple primaries')
        const tumours = [
          ['C504', '8500', '3', '1', '2019'],
          ['C501', '8500', '3', '2', '2023'],
        ]
        const names = ['Site', 'Histology', 'Behaviour', 'Laterality', 'Year']
        for (const [index, values] of tumours.entries()) {
          const place = index + 1
          const first = visitor.page.getByLabel(`${names[0]} of tumour ${place}`)
          if (!(await first.isVisible())) {
            await visitor.click(visitor.page.getByRole('button', { name: 'Add a tumour' }))
          }
          for (const [column, value] of values.entries()) {
            await visitor.type(`${names[column]} of tumour ${place}`, value)
          }
        }
        await expect
          .poll(() => visitor.page.locator('main h2').first().innerText())
          .toBe('2 primaries')
        await visitor.click(visitor.page.locator('.matrix button').first())
        // The pair meets rule M7 for the breast: both sides (Solid Tumor Rules).
        await visitor.page.locator('li.fits', { hasText: 'M7' }).waitFor()
      },
    ))

  test('what kind of drug doxorubicin is', () =>
    find('what kind of drug doxorubicin is', async (visitor) => {
      await visitor.open('Reference')
      await visitor.type('Name, code or word', 'doxorubicin')
      await visitor.click(visitor.page.getByRole('link', { name: 'Doxorubicin', exact: true }))
      await visitor.page.locator('.facts dd', { hasText: 'Anthracycline' }).waitFor()
    }))

  test('what is wrong with a table of cases', () =>
    find('what is wrong with a table of cases', async (visitor) => {
      await visitor.open('Submission')
      const head = ['type', 'submitter_id', 'projects.code', 'disease_type', 'primary_site']
      const lines = [head, ['case', 'x', 'TRIAL', 'Gliomas', 'no such site']]
      visitor.steps++
      await visitor.page
        .getByLabel('or paste it here')
        .fill(lines.map((cells) => cells.join('\t')).join('\n'))
      visitor.steps++
      // Browsers log the failed request of a rejected document, so the page is left before it.
      await visitor.page.route('**/_dry_run', async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, status: 200 })
      })
      await visitor.page.getByRole('button', { name: 'Try it' }).click()
      const told = visitor.page
        .getByRole('region', { name: /^Transaction \d+$/ })
        .locator('tbody td')
      await expect.poll(() => told.last().innerText()).toContain('no such site')
    }))

  test('how much room the service has left', () =>
    find('how much room the service has left', async (visitor) => {
      await visitor.open('Operation')
      await visitor.page.getByText('Free disk space').waitFor()
      expect(await visitor.page.locator('.result').innerText()).toBe('The service is ready.')
    }))
})
