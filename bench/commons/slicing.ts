import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DEFAULT_LIMITS, Slicer } from '../../engine/commons/slicing/slicer.ts'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest } from '../rounds.ts'
import { besideContest, besideFirstContest } from './slicing/beside.ts'
import { type Counts, checkOurs, checkPeers } from './slicing/check.ts'
import { firstVisitContest } from './slicing/first-visit.ts'
import { genesContest } from './slicing/genes.ts'
import { httpSmallContest, httpWholeContest, type Servers, withServers } from './slicing/http.ts'
import { type Home, prepareInput } from './slicing/input.ts'
import { bedText, layoutOf, regionText, type SliceSet } from './slicing/layout.ts'
import { memoryContest } from './slicing/memory.ts'
import { saveSlice, THREADS, timeSlice } from './slicing/ours.ts'
import { findPeers } from './slicing/peers.ts'
import { PINS } from './slicing/pins.ts'
import { saveSlices } from './slicing/saved.ts'
import { smallContest } from './slicing/small.ts'
import type { Stage } from './slicing/stage.ts'
import { wholeContest } from './slicing/whole.ts'

type Tell = (finding: string) => void
type Plan = (stage: Stage, tell: Tell) => Contest | Promise<Contest>
type ServedPlan = (stage: Stage, servers: Servers) => Promise<Contest>

/** What each workload asks for: counted before it is measured. */
const SETS: Readonly<Record<string, readonly SliceSet[]>> = {
  small: ['small'],
  mid: ['mid'],
  chromosomes: ['chromosomes'],
  genes: ['genes'],
  'first-visit': ['mid'],
  memory: ['small'],
  'beside-first': ['small', 'chromosomes'],
  'http-mid': ['mid'],
  'http-chromosomes': ['chromosomes'],
  'http-small': ['small'],
  beside: ['small', 'chromosomes'],
}

/** In this process, or in processes that live for one turn. */
const INSIDE: Readonly<Record<string, Plan>> = {
  small: smallContest,
  mid: (stage) => wholeContest(stage, 'mid'),
  chromosomes: (stage) => wholeContest(stage, 'chromosomes'),
  genes: genesContest,
  'first-visit': firstVisitContest,
  memory: memoryContest,
  'beside-first': besideFirstContest,
}

/** With servers that stay for all rounds. */
const SERVED: Readonly<Record<string, ServedPlan>> = {
  'http-mid': (stage, servers) => httpWholeContest(stage, servers, 'mid'),
  'http-chromosomes': (stage, servers) => httpWholeContest(stage, servers, 'chromosomes'),
  'http-small': httpSmallContest,
  beside: besideContest,
}

/** BAM slicing beside htslib, samtools, sambamba, and plain files over HTTP. */
export const slicing: Bench = {
  workloads: Object.keys(SETS),
  run: runSlicing,
}

async function runSlicing(options: BenchOptions): Promise<BenchOutcome> {
  const pool = new ThreadPool({ threads: THREADS })
  try {
    const layoutName = options.quick ? 'quick' : 'full'
    const home = await prepareInput(layoutName, pool, options.note)
    // Beside the data, where there is room for gigabytes; a /tmp in memory may not have it.
    const scratch = join(DATA_FOLDER, 'scratch')
    // An interrupted run leaves its own behind.
    await rm(scratch, { recursive: true, force: true })
    await mkdir(scratch)
    try {
      return await onStage(layoutName, home, scratch, pool, options)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  } finally {
    await pool.close()
  }
}

async function onStage(
  layoutName: 'quick' | 'full',
  home: Home,
  scratch: string,
  pool: ThreadPool,
  options: BenchOptions,
): Promise<BenchOutcome> {
  const { note, chosen } = options
  const layout = layoutOf(layoutName)
  const sets = new Set(
    Object.entries(SETS).flatMap(([workload, sets]) => (chosen(workload) ? sets : [])),
  )
  const { path, indexPath, directoryPath } = home.paths
  const slicers = {
    directory: {
      slicer: new Slicer(pool, DEFAULT_LIMITS),
      paths: { path, indexPath, directoryPath },
    },
    index: { slicer: new Slicer(pool, DEFAULT_LIMITS), paths: { path, indexPath } },
  }
  try {
    const bed = async (name: string, text: string) => {
      await writeFile(join(scratch, name), text)
      return join(scratch, name)
    }
    const save: Stage['save'] = (how, intervals, path) =>
      saveSlice(slicers[how].slicer, slicers[how].paths, intervals, how, path)
    note('making and counting the slices')
    const stage: Stage = {
      home,
      bam: path,
      layout,
      layoutName,
      pool,
      save,
      slice: (how, intervals) => timeSlice(slicers[how].slicer, slicers[how].paths, intervals, how),
      peers: await findPeers(scratch),
      smallBed: await bed('small.bed', bedText(layout.small)),
      genesBed: await bed('genes.bed', bedText(layout.genes)),
      saved: await saveSlices(layout, sets, scratch, (intervals, path) =>
        save('directory', intervals, path),
      ),
      scratch,
      rounds: (usual) => options.rounds ?? (options.quick ? Math.ceil(usual / 4) : usual),
      note,
    }
    const findings = new Set<string>()
    const tell = (finding: string) => void findings.add(finding)
    for (const name of ['samtools', 'sambamba'] as const) {
      if (!stage.peers[name]) tell(`${name} is missing, and so are its rows`)
    }
    const counts = await checkCounts(stage, tell)
    const contests: ContestOutcome[] = []
    for (const [name, plan] of Object.entries(INSIDE)) {
      if (chosen(name)) contests.push(await holdContest(await plan(stage, tell), note))
    }
    if (Object.keys(SERVED).some(chosen)) {
      await withServers(stage, async (servers) => {
        for (const [name, plan] of Object.entries(SERVED)) {
          if (chosen(name)) contests.push(await holdContest(await plan(stage, servers), note))
        }
      })
    }
    const input = await describeInput(stage, counts)
    return { input, contests, findings: [...findings] }
  } finally {
    await slicers.directory.slicer.close()
    await slicers.index.slicer.close()
  }
}

/** Nothing is measured before every answer is the right one. */
async function checkCounts(stage: Stage, tell: Tell): Promise<Counts> {
  const pins = PINS[stage.layoutName]
  if (!stage.peers.samtools) {
    tell('without samtools no record was counted')
    return {}
  }
  const ours = await checkOurs(stage, pins)
  return { ...ours, ...(await checkPeers(stage, pins, tell)) }
}

async function describeInput({ bam, layout, layoutName, peers }: Stage, counts: Counts) {
  return {
    layout: layoutName,
    file: basename(bam),
    bytes: (await stat(bam)).size,
    threads: THREADS,
    smallSlices: layout.small.map(regionText),
    mid: regionText(layout.mid),
    chromosomes: layout.chromosomes.map(regionText),
    geneIntervals: layout.genes.length,
    pins: PINS[layoutName],
    counted: counts,
    smallPeer: peers.htslibLoop ? 'htslib-loop.c' : 'samtools as a process, less its start',
  }
}
