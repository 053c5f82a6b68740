import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chiSquareUpperTail } from '../../../engine/commons/analysis/statistics/chi-square.ts'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { appOf } from '../search/support/app.ts'

// Compares estimates, numbers at risk, intervals, medians, hazard ratios and both statistics with those of R's
// package survival (survfit with conf.type "log", survdiff, coxph with Efron's ties), which
// reads the tables itself; only the made donors are given to both.

const CASES = publicData('data/cases')

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'casemill-survival-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Precedes a script, which may report several tables of donors with time, dead and group. */
const TELL = `
args <- commandArgs(TRUE)
suppressMessages(library(survival))
say <- function(...) cat(paste(..., sep = "\\t"), sep = "\\n")
full <- function(x) sprintf("%.17g", x)
tell <- function(d) {
  d <- d[!is.na(d$time) & !is.na(d$group), ]
  for (g in unique(d$group)) {
    f <- survfit(Surv(time, dead) ~ 1, data = d[d$group == g, ], conf.type = "log")
    say("donors", g, f$n)
    say("step", g, full(f$time), f$n.risk, full(f$surv), full(f$lower), full(f$upper))
    m <- summary(f)$table
    say("median", g, full(m["events"]), full(m["median"]), full(m["0.95LCL"]), full(m["0.95UCL"]))
  }
  if (length(unique(d$group)) > 1) {
    s <- survdiff(Surv(time, dead) ~ group, data = d)
    chi <- sum((s$obs - s$exp)^2 / s$exp)
    df <- length(s$obs) - 1
    say("test", "all", full(chi), df, full(pchisq(chi, df, lower.tail = FALSE)))
    say("logrank", "all", full(s$chisq), df, full(pchisq(s$chisq, df, lower.tail = FALSE)))
    d$group <- factor(d$group, unique(d$group))
    c <- coxph(Surv(time, dead) ~ group, data = d, ties = "efron", control = coxph.control(eps = 1e-14, iter.max = 50))
    r <- summary(c)
    for (i in seq_along(levels(d$group))[-1]) say("hazard", levels(d$group)[i],
      paste(full(c(r$conf.int[i - 1, c(1, 3, 4)], r$coefficients[i - 1, 5])), collapse = "\\t"))
  }
  say("end")
}`

interface Step {
  readonly atRisk: number
  readonly survival: number
  /** The lower limit; NaN if R has none. */
  readonly lower: number
  readonly upper: number
}

interface Statistic {
  readonly chiSquared: number
  readonly degreesFreedom: number
  readonly pValue: number
}

interface ToldGroup {
  donors: number
  readonly steps: Map<number, Step>
  /** Deaths, and median with its limits; NaN if R has none. */
  median: readonly number[]
  /** Ratio, limits and p-value; empty for the first group. */
  hazard: readonly number[]
}

interface Told {
  readonly groups: ReadonlyMap<string, ToldGroup>
  readonly test: Statistic | undefined
  /** The statistic of survdiff. */
  readonly logRank: Statistic | undefined
}

/** Runs one script for several tables, since R takes long to start, and returns its report of each. */
async function askR(script: string, ...args: string[]): Promise<readonly Told[]> {
  const printed = await runR(`${TELL}\n${script}`, args)
  return printed.split('end\n').slice(0, -1).map(readTold)
}

function readTold(printed: string): Told {
  const groups = new Map<string, ToldGroup>()
  let found: Told['test']
  let logRank: Told['logRank']
  for (const line of printed.trimEnd().split('\n')) {
    const [kind, name = '', ...cells] = line.split('\t')
    const [a = 0, b = 0, c = 0, lower = 0, upper = 0] = cells.map(Number)
    if (kind === 'donors') {
      groups.set(name, { donors: a, steps: new Map(), median: [], hazard: [] })
    }
    const group = groups.get(name)
    if (kind === 'step') group?.steps.set(a, { atRisk: b, survival: c, lower, upper })
    if (kind === 'median' && group) group.median = cells.map(Number)
    if (kind === 'hazard' && group) group.hazard = cells.map(Number)
    if (kind === 'test') found = { chiSquared: a, degreesFreedom: b, pValue: c }
    if (kind === 'logrank') logRank = { chiSquared: a, degreesFreedom: b, pValue: c }
  }
  return { groups, test: found, logRank }
}

interface Curves {
  readonly results: readonly {
    readonly donors: readonly {
      readonly time: number
      readonly survivalEstimate: number
      readonly n_at_risk: number
      readonly lower_95: number | null
      readonly upper_95: number | null
    }[]
  }[]
  readonly overallStats: Partial<Statistic> & {
    readonly logRankChiSquared?: number | null
    readonly logRankDegreesFreedom?: number | null
    readonly logRankPValue?: number | null
  }
  readonly comparison: {
    readonly groups: readonly Readonly<Record<string, number | null>>[]
    readonly overlaps: readonly { readonly groups: readonly number[]; readonly donors: number }[]
  }
}

async function ask(app: App, filters: readonly object[], endpoint?: string): Promise<Curves> {
  const headers = { 'Content-Type': 'application/json' }
  const comparison = filters.length <= 24
  const body = JSON.stringify({ filters, intervals: true, comparison, endpoint })
  const answer = await app.request('/analysis/survival', { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Curves
}

/** The relative difference of two numbers by the larger; 0 if both are missing. */
function apart(one: number | null, other: number): number {
  if (one === null || Number.isNaN(other)) return one === null && Number.isNaN(other) ? 0 : Infinity
  return one === other ? 0 : Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other))
}

/** The statistic has fewer exact digits than its sums, because both are differences. */
const MOST = { estimate: 1e-12, statistic: 1e-11, hazard: 1e-8 }

/** Requests a curve for each group in R's report. */
async function compare(
  app: App,
  told: Told,
  filterOf: (group: string) => object,
  endpoint?: string,
): Promise<void> {
  const names = [...told.groups.keys()]
  const answer = await ask(app, names.map(filterOf), endpoint)
  const { results, overallStats } = answer
  let worst = 0
  for (const [i, name] of names.entries()) {
    const donors = results[i]?.donors ?? []
    const { donors: count, steps } = told.groups.get(name) ?? { steps: new Map<number, Step>() }
    expect([name, donors.length]).toEqual([name, count])
    expect(new Set(donors.map(({ time }) => time))).toEqual(new Set(steps.keys()))
    for (const donor of donors) {
      const step = steps.get(donor.time)
      if (!step) throw new Error(`R has no step at ${donor.time}`)
      if (donor.n_at_risk !== step.atRisk) expect([donor, name]).toEqual(step)
      worst = Math.max(
        worst,
        apart(donor.survivalEstimate, step.survival),
        apart(donor.lower_95, step.lower),
        apart(donor.upper_95, step.upper),
      )
    }
  }
  expect(worst).toBeLessThan(MOST.estimate)
  if (!told.test) {
    expect(overallStats).toEqual({})
    return
  }
  const { chiSquared = -1, degreesFreedom, pValue = -1 } = overallStats
  expect(degreesFreedom).toBe(told.test.degreesFreedom)
  expect(apart(chiSquared, told.test.chiSquared)).toBeLessThan(MOST.statistic)
  // The relative error of a far tail is larger by this factor.
  expect(apart(pValue, told.test.pValue)).toBeLessThan(MOST.statistic * Math.max(1, chiSquared))
  if (answer.comparison?.overlaps.length) {
    expect(overallStats).toMatchObject({ logRankChiSquared: null, logRankPValue: null })
    for (const group of answer.comparison.groups) expect(group.hazard_ratio).toBeNull()
    return
  }
  const wanted = told.logRank ?? { chiSquared: -1, degreesFreedom: -1, pValue: -1 }
  expect(overallStats.logRankDegreesFreedom).toBe(wanted.degreesFreedom)
  expect(apart(overallStats.logRankChiSquared ?? -1, wanted.chiSquared)).toBeLessThan(
    MOST.statistic,
  )
  expect(apart(overallStats.logRankPValue ?? -1, wanted.pValue)).toBeLessThan(
    MOST.statistic * Math.max(1, chiSquared),
  )
  for (const [i, name] of names.slice(0, answer.comparison?.groups.length ?? 0).entries()) {
    const { median = [], hazard = [] } = told.groups.get(name) ?? {}
    const own = answer.comparison.groups[i]!
    const apartFrom = (keys: readonly string[], numbers: readonly number[]) =>
      Math.max(...keys.map((key, place) => apart(own[key] ?? null, numbers[place] ?? Number.NaN)))
    expect([name, apartFrom(MEDIAN, median)]).toEqual([name, 0])
    expect(apartFrom(HAZARD, hazard)).toBeLessThan(MOST.hazard)
  }
}

const MEDIAN = ['deaths', 'median_days', 'median_lower_95', 'median_upper_95']
const HAZARD = [
  'hazard_ratio',
  'hazard_ratio_lower_95',
  'hazard_ratio_upper_95',
  'hazard_ratio_p_value',
]

const on = (field: string, value: string) => ({ op: '=', content: { field, value } })

async function imported(name: string, ...sources: string[]): Promise<[App, Engine]> {
  const dataFolder = join(root, name)
  await importCommons({ sources, dataFolder, executor: inlineExecutor })
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  await engine.start()
  return [appOf(engine), engine]
}

describe.skipIf(!available.shared || !available.survival)('lung adenocarcinoma', () => {
  const [clinical, followUps] = ['clinical', 'follow_up'].map((name) =>
    join(CASES, `tcga_luad_${name}.tsv.gz`),
  ) as [string, string]
  let app: App
  let engine: Engine
  let [all, bySex, progressionFree, toProgression]: readonly Told[] = []
  beforeAll(async () => {
    ;[app, engine] = await imported('luad', clinical, followUps)
    ;[all, bySex, progressionFree, toProgression] = await askR(TABLES, clinical, followUps)
  })
  afterAll(() => engine?.close())

  const TABLES = `
    table <- function(path) read.delim(gzfile(path), na.strings = "'--", quote = "", check.names = FALSE)
    cases <- table(args[1])
    follow_ups <- table(args[2])
    ids <- unique(cases$cases.case_id)
    first <- function(name) cases[[name]][match(ids, cases$cases.case_id)]
    seen <- rbind(
      data.frame(id = cases$cases.case_id, day = cases$diagnoses.days_to_last_follow_up),
      data.frame(id = follow_ups$cases.case_id, day = follow_ups$follow_ups.days_to_follow_up))
    latest <- tapply(seen$day, factor(seen$id, ids), function(x) if (all(is.na(x))) NA else max(x, na.rm = TRUE))
    dead <- tolower(first("demographic.vital_status")) == "dead"
    time <- ifelse(dead, first("demographic.days_to_death"), latest)
    tell(data.frame(dead, time, group = "all"))
    tell(data.frame(dead, time, group = first("demographic.gender")))
    # Kept by name, as not every table has each of these columns.
    days <- do.call(rbind, lapply(list(list(cases, "diagnoses.days_to_recurrence"),
      list(follow_ups, "follow_ups.days_to_recurrence"), list(follow_ups, "follow_ups.days_to_progression")),
      function(at) data.frame(id = at[[1]]$cases.case_id, day = as.numeric(if (is.null(at[[1]][[at[[2]]]])) NA else at[[1]][[at[[2]]]]))))
    event <- tapply(days$day, factor(days$id, ids), function(x) if (all(is.na(x))) NA else min(x, na.rm = TRUE))
    said <- ids %in% c(
      cases$cases.case_id[which(tolower(cases$diagnoses.progression_or_recurrence) == "yes")],
      follow_ups$cases.case_id[which(tolower(follow_ups$follow_ups.progression_or_recurrence) == "yes")])
    time[said & is.na(event)] <- NA
    tell(data.frame(dead = dead | !is.na(event), time = ifelse(dead, pmin(time, event, na.rm = TRUE), ifelse(is.na(event), time, event)), group = first("demographic.gender")))
    tell(data.frame(dead = !is.na(event), time = ifelse(is.na(event), time, event), group = first("demographic.gender")))`

  test('all cases are as R has them', async () => {
    expect(all?.groups.get('all')?.donors).toBeGreaterThan(490)
    await compare(app, all!, () => ({}))
  })

  test('by sex, the curves and the test are as R has them', async () => {
    expect(bySex?.groups.size).toBe(2)
    await compare(app, bySex!, (sex) => on('demographic.gender', sex))
  })

  test('so are those until a progression or death, and until a progression', async () => {
    const filterOf = (sex: string) => on('demographic.gender', sex)
    await compare(app, progressionFree!, filterOf, 'progression-free')
    await compare(app, toProgression!, filterOf, 'time-to-progression')
    const events = (told?: Told) =>
      [...(told?.groups.values() ?? [])].reduce((sum, { median }) => sum + (median[0] ?? 0), 0)
    expect(events(toProgression)).toBeGreaterThan(100)
    expect(events(progressionFree)).toBeGreaterThan(events(bySex))
  })
})

describe.skipIf(!available.shared || !available.survival)('28 projects', () => {
  const path = join(CASES, 'tcga_cases_legacy.tsv.gz')
  let app: App
  let engine: Engine
  let [byProject, bySex]: readonly Told[] = []
  beforeAll(async () => {
    ;[app, engine] = await imported('legacy', path)
    ;[byProject, bySex] = await askR(TABLES, path)
  })
  afterAll(() => engine?.close())

  const TABLES = `
    cases <- read.delim(gzfile(args[1]), na.strings = c("NA", "Not available", ""), quote = "")
    dead <- tolower(cases$vital_status) == "dead"
    time <- ifelse(dead, cases$days_to_death, cases$days_to_last_follow_up)
    tell(data.frame(dead, time, group = cases$investigation))
    tell(data.frame(dead, time, group = cases$gender))`

  test('are as R has them, and so is the test between them', async () => {
    expect(byProject?.groups.size).toBe(28)
    // data/README.md: 9,055 have a time; 2 of them no vital status, and 2 died without a day of death.
    const counts = [...byProject!.groups.values()].map(({ donors }) => donors)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(9051)
    await compare(app, byProject!, (project) => on('project.project_id', project))
  })

  test('both sexes are as R has them', async () => {
    expect(bySex?.groups.size).toBe(2)
    await compare(app, bySex!, (sex) => on('demographic.gender', sex))
  })
})

describe.skipIf(!available.survival)('10,000 made-up donors', () => {
  const random = randomFrom(10_000)
  const GROUPS = ['a', 'b', 'c', 'd'] as const
  /** Most days are shared by several donors; some are negative, zero or fractional. */
  const donors = Array.from({ length: 10_000 }, (_, i) => {
    const group = GROUPS[random.below(GROUPS.length)] ?? 'a'
    const days = random.gap(group === 'a' ? 900 : 700) - 20
    const time = random.chance(0.2) ? Math.round(days * 8) / 8 : Math.round(days)
    return { i, group, time, dead: random.chance(0.4) }
  })
  let app: App
  let engine: Engine
  let [separate, overlapping]: readonly Told[] = []
  beforeAll(async () => {
    const uuid = (kind: number, i: number) =>
      `${String(i).padStart(8, '0')}-000${kind}-4000-8000-00000000cafe`
    const cases = donors.map(({ i, group, time, dead }) => ({
      case_id: uuid(1, i),
      submitter_id: `CASE-${i}`,
      primary_site: group,
      demographic: {
        demographic_id: uuid(2, i),
        vital_status: dead ? 'Dead' : 'Alive',
        ...(dead ? { days_to_death: time } : {}),
      },
      // Only the living have follow-up days, of which the latest counts.
      diagnoses: [{ diagnosis_id: uuid(3, i), days_to_last_follow_up: dead ? 99_999 : time - 1 }],
      ...(dead ? {} : { follow_ups: [{ follow_up_id: uuid(4, i), days_to_follow_up: time }] }),
    }))
    await writeFile(join(root, 'cases.json'), JSON.stringify(cases))
    const csv = join(root, 'donors.csv')
    const lines = donors.map(({ time, dead, group }) => `${time},${dead ? 1 : 0},${group}\n`)
    await writeFile(csv, `time,dead,group\n${lines.join('')}`)
    ;[app, engine] = await imported('made-up', join(root, 'cases.json'))
    ;[separate, overlapping] = await askR(TABLES, csv)
  })
  afterAll(() => engine?.close())

  const TABLES = `
    all <- read.csv(args[1])
    tell(all)
    tell(rbind(transform(all[all$group != "b", ], group = "b"), transform(all[all$group != "c", ], group = "c")))`

  test('have many ties', () => {
    expect(new Set(donors.map(({ time }) => time)).size).toBeLessThan(6000)
  })

  test('are as R has them, and so is the test between four groups', async () => {
    expect(separate?.groups.size).toBe(GROUPS.length)
    await compare(app, separate!, (group) => on('primary_site', group))
  })

  test('in groups that overlap are as in R, which counts a donor once in each', async () => {
    const without = (group: string) => ({
      op: 'exclude',
      content: { field: 'primary_site', value: group },
    })
    await compare(app, overlapping!, without)
    const { comparison } = await ask(app, ['b', 'c'].map(without))
    const donors = ['a', 'd'].map((name) => separate?.groups.get(name)?.donors ?? 0)
    const shared = donors.reduce((sum, count) => sum + count, 0)
    expect(comparison.overlaps).toEqual([{ groups: [0, 1], donors: shared }])
  })
})

test.skipIf(!available.survival)(
  'the upper tail of chi-square is pchisq to 12 digits',
  async () => {
    const values = [
      ...[
        1e-300, 1e-12, 1e-6, 0.001, 0.1, 0.5, 0.9, 1, 1.5, 2, 2.5, 2.9999, 3, 3.0001, 3.5, 4, 5, 7,
      ],
      ...[10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 700, 900, 1000, 1200, 1390],
    ]
    const printed = await runR(`
    for (df in c(1:200, 999, 1000, 9999)) for (x in c(${values.join(', ')}))
      cat(df, x, sprintf("%.17g", pchisq(x, df, lower.tail = FALSE)), "\\n")`)
    const rows = printed
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(' ').map(Number))
    expect(rows).toHaveLength(203 * values.length)
    let worst = 0
    for (const [df = 0, value = 0, expected = 0] of rows) {
      worst = Math.max(worst, apart(chiSquareUpperTail(value, df), expected))
    }
    expect(worst).toBeLessThan(1e-12)
    expect(Math.min(...rows.map(([, , tail = 0]) => tail))).toBeLessThan(1e-300)
  },
)
