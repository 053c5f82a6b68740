import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../../tools.ts'
import { regionText, requestsOf, type SliceSet } from './layout.ts'
import { countRecords, runLoop, samtoolsWords } from './peers.ts'
import type { Pins } from './pins.ts'
import { type SavedSlices, saveSlices } from './saved.ts'
import type { Stage } from './stage.ts'

type Tell = (finding: string) => void

/** Records that were counted, by who and of what. */
export type Counts = Readonly<Record<string, number>>

/**
 * Counts what we deliver, by directory and by index, and the file itself.
 * @throws Error when a number is not the pinned one
 */
export async function checkOurs(stage: Stage, pins: Pins): Promise<Counts> {
  const { bam, layout, saved, save, scratch } = stage
  const file = equal('the file', await countByIndex(bam), pins.file)
  const byDirectory = await countSaved('directory', saved, pins)
  const folder = join(scratch, 'index')
  const sets = new Set(saved.keys())
  const others = await saveSlices(layout, sets, folder, (intervals, path) =>
    save('index', intervals, path),
  )
  const byIndex = await countSaved('BAI only', others, pins)
  await rm(folder, { recursive: true })
  return { file, ...byDirectory, ...byIndex }
}

async function countSaved(how: string, saved: SavedSlices, pins: Pins): Promise<Counts> {
  const counts: Record<string, number> = {}
  for (const [set, paths] of saved) {
    let counted = 0
    for (const path of paths) counted += await countRecords(path)
    counts[`${how} ${set}`] = equal(`${set} by ${how}`, counted, pins[set])
  }
  return counts
}

function equal(what: string, counted: number, pinned: number): number {
  if (counted === pinned) return counted
  throw new Error(`${what}: ${counted} records instead of ${pinned}; nothing is measured`)
}

async function countByIndex(bam: string): Promise<number> {
  const { output } = await runTool('samtools', ['idxstats', bam])
  const lines = output.trim().split('\n')
  return lines
    .flatMap((line) => line.split('\t').slice(2).map(Number))
    .reduce((sum, count) => sum + count, 0)
}

/** Counts what the others deliver. Wrong numbers of theirs are told, and no reason to stop. */
export async function checkPeers(stage: Stage, pins: Pins, tell: Tell): Promise<Counts> {
  const { bam, layout, peers, saved, smallBed, genesBed, scratch } = stage
  const counts: Record<string, number> = {}
  const keep = (who: string, set: SliceSet, counted: number) => {
    counts[`${who} ${set}`] = counted
    const more = counted - pins[set]
    if (more !== 0) tell(`${who} gives ${counted} records for ${set}: ${more} too many`)
  }
  if (saved.has('small') && peers.htslibLoop) {
    keep('htslib-loop', 'small', (await runLoop(peers.htslibLoop, bam, smallBed)).records)
  }
  for (const set of ['mid', 'chromosomes', 'genes'] as const) {
    if (!saved.has(set)) continue
    const regions = requestsOf(layout, set).flat().map(regionText)
    const what = set === 'genes' ? ['-L', genesBed] : regions
    const words = ['view', '-c', '-@1', ...samtoolsWords(bam, what)]
    keep('samtools', set, Number((await runTool('samtools', words)).output))
    if (!peers.sambamba) continue
    const path = join(scratch, 'sambamba.bam')
    await runTool('sambamba', ['slice', '-o', path, bam, ...what])
    keep('sambamba', set, await countRecords(path))
    await rm(path)
  }
  return counts
}
