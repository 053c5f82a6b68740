import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { appOf } from '../search/support/app.ts'

// Compares groups of made cases over HTTP. R gets the same cases as a table and makes the same tests.

const random = randomFrom(440)
const SITES = ['kidney', 'brain', 'lung'] as const
const STAGES = ['Stage I', 'Stage II', 'Stage III', 'Stage IV'] as const

const pick = <T>(list: readonly T[]) => list[random.below(list.length)] as T

const uuid = (kind: number, i: number) =>
  `${String(i).padStart(8, '0')}-000${kind}-4000-8000-00000000cafe`

interface Made {
  readonly id: string
  readonly site: string
  readonly gender: string | undefined
  readonly stages: readonly string[]
  readonly age: number | undefined
  readonly time: number
  readonly dead: boolean
}

const MADE: readonly Made[] = Array.from({ length: 400 }, (_, i) => {
  const site = pick(SITES)
  const stages = random.chance(0.1) ? [] : [pick(site === 'lung' ? STAGES.slice(1) : STAGES)]
  return {
    id: uuid(1, i),
    site,
    gender: random.chance(0.05)
      ? undefined
      : random.chance(site === 'brain' ? 0.6 : 0.4)
        ? 'male'
        : 'female',
    // A few cases have two diagnoses of different stages.
    stages: random.chance(0.05) ? ['Stage I', 'Stage IV'] : stages,
    age: random.chance(0.1)
      ? undefined
      : 40 * 365 + random.below(site === 'kidney' ? 9000 : 12_000),
    time: 1 + random.below(site === 'lung' ? 900 : 1500),
    dead: random.chance(0.5),
  }
})

const documentOf = ({ id, site, gender, stages, age, time, dead }: Made, i: number) => ({
  case_id: id,
  submitter_id: `CASE-${i}`,
  primary_site: site,
  demographic: {
    demographic_id: uuid(2, i),
    ...(gender && { gender }),
    vital_status: dead ? 'Dead' : 'Alive',
    ...(dead && { days_to_death: time }),
  },
  diagnoses: (stages.length > 0 ? stages : [undefined]).map((stage, k) => ({
    diagnosis_id: uuid(3 + k, i),
    ...(stage && { ajcc_pathologic_stage: stage }),
    ...(age !== undefined && k === 0 && { age_at_diagnosis: age }),
    ...(!dead && k === 0 && { days_to_last_follow_up: time }),
  })),
})

let folder = ''
let engine: Engine
let app: App
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-comparison-'))
  await writeFile(join(folder, 'cases.json'), JSON.stringify(MADE.map(documentOf)))
  const dataFolder = join(folder, 'data')
  await importCommons({
    sources: [join(folder, 'cases.json')],
    dataFolder,
    executor: inlineExecutor,
  })
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true })
})

interface Test {
  readonly method: string
  readonly statistic: number | null
  readonly degrees_of_freedom: number | null
  readonly p_value: number
  readonly q_value: number
  readonly effect: {
    readonly name: string
    readonly value: number
    readonly lower_95: number | null
    readonly upper_95: number | null
  } | null
}

interface Field {
  readonly field: string
  readonly kind: string
  readonly groups: readonly {
    readonly cases: number
    readonly several?: number
    readonly median?: number | null
  }[]
  readonly values?: readonly {
    readonly value: string
    readonly counts: readonly number[]
    readonly shares: readonly number[]
  }[]
  readonly test: Test | null
}

interface Compared {
  readonly groups: readonly { readonly cases: number }[]
  readonly overlaps: readonly { readonly groups: readonly number[]; readonly cases: number }[]
  readonly fields: readonly Field[]
  readonly left_out: readonly { readonly field: string; readonly values: number }[]
}

async function post(body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return app.request('/analysis/compare_fields', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
}

async function compared(body: object): Promise<Compared> {
  const answer = await post(body)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Compared
}

const at = (...sites: readonly string[]) => ({
  op: 'in',
  content: { field: 'primary_site', value: sites },
})

const fieldIn = ({ fields }: Compared, name: string) => {
  const found = fields.find(({ field }) => field === name)
  if (!found) throw new Error(`no field ${name}`)
  return found
}

const near = (one: number | null | undefined, other: number | undefined) =>
  expect(Math.abs((one ?? Number.NaN) / (other ?? Number.NaN) - 1)).toBeLessThan(1e-9)

const TABLE = `
  suppressMessages(library(survival))
  d <- read.csv(commandArgs(TRUE)[1], na.strings = "")
  say <- function(...) cat(sprintf("%.17g", c(...)), "\\n")
  all <- function(d) {
    d$site <- factor(d$site, unique(c(commandArgs(TRUE)[-1])))
    d <- d[!is.na(d$site), ]
    g <- table(d$site, d$gender)
    s <- table(d$site, d$stage)
    s <- s[, colSums(s) > 0]
    a <- split(d$age[!is.na(d$age)], d$site[!is.na(d$age)])
    p <- c(if (nrow(g) == 2) fisher.test(g)$p.value else chisq.test(g, correct = FALSE)$p.value,
      chisq.test(s, correct = FALSE)$p.value,
      if (length(a) == 2) wilcox.test(a[[1]], a[[2]])$p.value else kruskal.test(a)$p.value)
    l <- survdiff(Surv(time, dead) ~ site, data = d)
    p <- c(p, pchisq(l$chisq, length(l$n) - 1, lower.tail = FALSE))
    say(p)
    say(t(g))
    say(sapply(a, median))
    say(sapply(a, length))
  }
  all(d)`

async function askR(...sites: readonly string[]): Promise<readonly (readonly number[])[]> {
  const csv = join(folder, 'cases.csv')
  const lines = MADE.map(({ site, gender = '', stages, age = '', time, dead }) =>
    [site, gender, stages.length === 1 ? stages[0] : '', age, time, dead ? 1 : 0].join(','),
  )
  await writeFile(csv, ['site,gender,stage,age,time,dead', ...lines].join('\n'))
  const printed = await runR(TABLE, [csv, ...sites])
  return printed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' ').map(Number))
}

const NAMES = [
  'demographic.gender',
  'diagnoses.ajcc_pathologic_stage',
  'diagnoses.age_at_diagnosis',
]

describe.skipIf(!available.survival)('as in R', () => {
  test.each([
    [
      ['kidney', 'brain'],
      ['fisher', 'chi-square', 'mann-whitney'],
    ],
    [
      ['kidney', 'brain', 'lung'],
      ['chi-square', 'chi-square', 'kruskal-wallis'],
    ],
  ])('%j', async (sites, methods) => {
    const [p = [], genders = [], medians = [], lengths = []] = await askR(...sites)
    const filters = sites.map((site) => at(site))
    const named = await compared({ filters, fields: NAMES })
    expect(NAMES.map((name) => fieldIn(named, name).test?.method)).toEqual(methods)
    for (const [i, name] of NAMES.entries()) near(fieldIn(named, name).test?.p_value, p[i])
    const gender = fieldIn(named, NAMES[0]!)
    expect(gender.values?.map(({ value }) => value)).toEqual(['female', 'male'])
    const counts = sites.flatMap((_, g) => gender.values?.map((value) => value.counts[g]) ?? [])
    expect(counts).toEqual(genders)
    expect(gender.values?.[0]?.shares[0]).toBe((counts[0] ?? 0) / gender.groups[0]!.cases)
    const age = fieldIn(named, NAMES[2]!)
    expect(age.groups.map(({ median }) => median)).toEqual(medians)
    expect(age.groups.map(({ cases }) => cases)).toEqual(lengths)
    // Of all clinical fields, these are tested, and survival. R adjusts the p-values for their number.
    const whole = await compared({ filters })
    near(fieldIn(whole, 'survival').test?.p_value, p[3])
    const tested = whole.fields.flatMap(({ test }) => test ?? [])
    expect(tested.length).toBe(8)
    const adjusted = await runR(`
      cat(sprintf("%.17g\\n", p.adjust(c(${tested.map((one) => one.p_value).join(',')}), "BH")))`)
    for (const [i, text] of adjusted.trim().split('\n').entries())
      near(tested[i]?.q_value, Number(text))
    const order = tested.map((one) => one.p_value)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
  })
})

describe('groups', () => {
  test('that share cases are named and not tested', async () => {
    const found = await compared({ filters: [at('kidney', 'brain'), at('brain', 'lung')] })
    const brains = MADE.filter(({ site }) => site === 'brain').length
    expect(found.overlaps).toEqual([{ groups: [0, 1], cases: brains }])
    expect(found.fields.length).toBeGreaterThan(5)
    expect(found.fields.map(({ test }) => test)).toEqual(found.fields.map(() => null))
  })

  test('count cases with several values apart from those with one', async () => {
    const [name = ''] = NAMES.slice(1)
    const { fields } = await compared({ filters: [at('kidney'), {}], fields: [`cases.${name}`] })
    const several = (cases: readonly Made[]) =>
      cases.filter(({ stages }) => stages.length > 1).length
    const one = (cases: readonly Made[]) => cases.filter(({ stages }) => stages.length === 1).length
    const kidneys = MADE.filter(({ site }) => site === 'kidney')
    expect(fields[0]?.groups).toEqual(
      [kidneys, MADE].map((cases) => ({ cases: one(cases), several: several(cases) })),
    )
  })

  test('may be one, or empty', async () => {
    const none = at('nowhere')
    const found = await compared({ filters: [none, at('lung')], fields: NAMES })
    expect(found.groups.map(({ cases }) => cases)).toEqual([
      0,
      MADE.filter(({ site }) => site === 'lung').length,
    ])
    expect(found.fields.map(({ test }) => test)).toEqual([null, null, null])
    expect((await compared({})).groups).toEqual([{ cases: MADE.length }])
    expect((await compared({ filters: [none, none] })).fields.map(({ field }) => field)).toEqual([
      'survival',
    ])
  })
})

test.each([
  [{ filters: Array.from({ length: 13 }, () => ({})) }, 'at most 12'],
  [{ filters: [{}, {}], fields: ['demographic.rase'] }, 'demographic.race'],
  [{ filters: [{}, {}], fields: ['files.file_name'] }, 'is not a field of a case'],
  [{ filters: [{ op: 'nor', content: [] }] }, 'filters[0].op'],
])('%j is refused', async (body, message) => {
  const answer = await post(body)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(message)
})

describe('variables', () => {
  interface Related {
    readonly total: number
    readonly kind: string
    readonly known: number
    readonly points: readonly { readonly case_id: string; readonly x: number; readonly y: number }[]
    readonly pearson: Readonly<Record<string, number>> | null
    readonly spearman: Readonly<Record<string, number>> | null
    readonly boxes: readonly {
      readonly value: string
      readonly cases: number
      readonly median: number
    }[]
    readonly categories: string
    readonly x_values: readonly string[]
    readonly y_values: readonly string[]
    readonly counts: readonly (readonly number[])[]
    readonly test: Test | null
  }

  const STAGE = 'diagnoses.ajcc_pathologic_stage'
  const AGE = 'diagnoses.age_at_diagnosis'
  const DEATH = 'demographic.days_to_death'

  async function related(query: object): Promise<Related> {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(query)
    const answer = await app.request('/analysis/variables', { method: 'POST', headers, body })
    expect([answer.status, query]).toEqual([200, query])
    return (await answer.json()) as Related
  }

  const both = MADE.flatMap(({ id, age, time, dead }) =>
    dead && age !== undefined ? [{ case_id: id, x: age, y: time }] : [],
  )

  test.skipIf(!available.survival)('of two numbers are points, correlated as in R', async () => {
    const found = await related({ x: AGE, y: `cases.${DEATH}` })
    expect([found.kind, found.total, found.known]).toEqual(['scatter', MADE.length, both.length])
    expect(found.points).toEqual(both)
    const path = join(folder, 'points.csv')
    await writeFile(path, `x,y\n${both.map(({ x, y }) => `${x},${y}`).join('\n')}\n`)
    const printed = await runR(
      `
      d <- read.csv(commandArgs(TRUE)[1])
      p <- cor.test(d$x, d$y)
      s <- cor.test(d$x, d$y, method = "spearman", exact = FALSE)
      cat(sprintf("%.17g", c(p$estimate, p$conf.int, p$p.value, s$estimate, s$p.value)))`,
      [path],
    )
    const numbers = printed.trim().split(' ').map(Number)
    const { pearson, spearman } = found
    const own = ['coefficient', 'lower_95', 'upper_95', 'p_value'].map((name) => pearson?.[name])
    for (const [i, value] of [...own, spearman?.coefficient, spearman?.p_value].entries()) {
      near(value, numbers[i])
    }
    const some = await related({ x: AGE, y: DEATH, size: 10 })
    expect(some.points).toHaveLength(10)
    expect(some.pearson).toEqual(pearson)
  })

  test('of a number and categories are boxes', async () => {
    const filters = at('kidney', 'brain')
    for (const [x, y, by] of [
      ['primary_site', AGE, 'x'],
      [AGE, 'primary_site', 'y'],
    ]) {
      const found = await related({ x, y, filters })
      expect([found.kind, found.categories]).toEqual(['boxes', by])
      const sites = ['brain', 'kidney'].map((site) =>
        MADE.flatMap((one) => (one.site === site ? (one.age ?? []) : [])).sort((a, b) => a - b),
      )
      expect(found.boxes.map(({ value, cases }) => [value, cases])).toEqual([
        ['brain', sites[0]?.length],
        ['kidney', sites[1]?.length],
      ])
      const compared_ = await compared({ filters: [at('brain'), at('kidney')], fields: [AGE] })
      const { q_value: _, ...wanted } = fieldIn(compared_, AGE).test!
      expect(found.test).toEqual(wanted)
    }
  })

  test('of categories are a table of counts', async () => {
    const found = await related({ x: 'demographic.gender', y: STAGE })
    expect([found.kind, found.x_values, found.y_values]).toEqual([
      'table',
      ['female', 'male'],
      [...STAGES],
    ])
    const wanted = found.x_values.map((gender) =>
      STAGES.map(
        (stage) =>
          MADE.filter((one) => one.gender === gender && one.stages.join() === stage).length,
      ),
    )
    expect(found.counts).toEqual(wanted)
    expect(found.known).toBe(wanted.flat().reduce((sum, count) => sum + count, 0))
    expect(found.test?.method).toBe('chi-square')
  })

  test.each([
    [{ x: AGE }, 'parameter y is missing'],
    [{ x: AGE, y: 'demographic.rase' }, 'demographic.race'],
    [{ x: 'submitter_id', y: AGE }, 'different values'],
    [{ x: AGE, y: DEATH, size: 20_001 }, 'at most 20000'],
  ])('%j is refused', async (query, message) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(query)
    const answer = await app.request('/analysis/variables', { method: 'POST', headers, body })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)])
  })
})
