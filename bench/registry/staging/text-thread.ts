import { parentPort, workerData } from 'node:worker_threads'
import { CompiledVersion } from '../../../engine/registry/staging/algorithm/compiled-version.ts'
import { readAlgorithmZip } from '../../../engine/registry/staging/algorithm/read-zip.ts'
import { type AlgorithmName, ARCHIVES } from './input.ts'
import { piecesOf, stageText } from './text.ts'

// Stages pieces that no other thread has taken yet, whenever it is told to.

/** What a thread is given at its start; the memory is shared by all. */
export interface TextThreadData {
  readonly algorithm: AlgorithmName
  readonly text: Uint8Array
  /** How many pieces were taken. */
  readonly taken: Int32Array
}

const { algorithm, text, taken } = workerData as TextThreadData
const version = new CompiledVersion(await readAlgorithmZip(ARCHIVES[algorithm]))
const pieces = piecesOf(text)

parentPort?.on('message', () => {
  let bytes = 0
  for (let i = Atomics.add(taken, 0, 1); i < pieces.length; i = Atomics.add(taken, 0, 1)) {
    bytes += stageText(pieces[i]!, version).length
  }
  parentPort?.postMessage(bytes)
})
parentPort?.postMessage('ready')
