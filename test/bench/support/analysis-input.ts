import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Input, prepareInput } from '../../../bench/commons/analysis/input.ts'
import { findPython } from '../../../bench/commons/analysis/python-peer.ts'
import {
  mutatedGenes,
  type Questions,
  questionsOf,
} from '../../../bench/commons/analysis/questions.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { available } from '../../available.ts'

export interface AnalysisInput {
  /** The folder of the input, also for files of the test. */
  readonly folder: string
  readonly input: Input
  readonly questions: Questions
  remove(): Promise<void>
}

/** Makes the smallest input of the benchmark of analyses. Without Python it has no single cells. */
export async function makeAnalysisInput(): Promise<AnalysisInput> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-analysis-'))
  const python = available.numpy ? await findPython() : undefined
  const request = { name: 'test', executor: inlineExecutor, python, note: () => {} } as const
  const input = await prepareInput({ ...request, folder: join(folder, 'input') })
  const questions = await questionsOf('test', input.matrix, await mutatedGenes(input.frames))
  return { folder, input, questions, remove: () => rm(folder, { recursive: true, force: true }) }
}
