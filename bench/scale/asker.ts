import { Agent, get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

const filters = (field: string, value: string) =>
  encodeURIComponent(JSON.stringify({ op: 'in', content: { field, value: [value] } }))

/** Each takes the service milliseconds and whoever asks little. */
export const QUESTIONS: readonly string[] = [
  '/cases?facets=primary_site,disease_type,demographic.gender,project.project_id&size=10',
  '/files?facets=data_type,data_category,experimental_strategy,access&size=10',
  `/files?filters=${filters('cases.primary_site', 'Brain')}&expand=cases,cases.samples&size=50`,
  `/cases?filters=${filters('files.data_type', 'Aligned Reads')}&expand=diagnoses,samples&size=50`,
  '/ssm_occurrences?facets=case.project.project_id&size=20&expand=ssm',
  '/files?sort=file_size:desc&from=3000&size=100&format=tsv',
]

const CONNECTIONS = 32

/** A client with many connections, each of which asks again when it has its answer. */
export class Asker {
  readonly #address: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })

  constructor(address: string) {
    this.#address = address
  }

  /** Asks so many questions in turn; milliseconds until all are answered. */
  async ask(questions: number): Promise<number> {
    let next = 0
    const one = async () => {
      while (next < questions) await this.body(QUESTIONS[next++ % QUESTIONS.length]!)
    }
    const start = performance.now()
    await Promise.all(Array.from({ length: CONNECTIONS }, one))
    return performance.now() - start
  }

  async body(path: string): Promise<Buffer> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(new URL(path, this.#address), { agent: this.#agent }, resolve).on('error', reject)
    })
    const bytes = await buffer(response)
    if (response.statusCode === 200) return bytes
    throw new Error(`${path} is answered by ${response.statusCode}`)
  }

  close(): void {
    this.#agent.destroy()
  }
}
