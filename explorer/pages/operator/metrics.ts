import { sizeText } from '../../parts/size.ts'

/** A sample in the text format of Prometheus. */
export interface Metric {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

/**
 * Parses the text format of Prometheus.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricsOf(text: string): readonly Metric[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] =
      /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, key = '', given = '']) => [key, given.replace(/\\(.)/g, unescaped)] as const,
    )
    return [{ name, labels: new Map(pairs), value: Number(value) }]
  })
}

const unescaped = (_: string, letter: string) => (letter === 'n' ? '\n' : letter)

/** Returns the figures that an operator needs first. Figures that the metrics lack are left out. */
export function numbersOf(
  metrics: readonly Metric[],
): readonly { readonly title: string; readonly value: string }[] {
  const sum = (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const found = metrics.filter(
      (metric) =>
        metric.name === name &&
        Object.entries(labels).every(([key, value]) => metric.labels.get(key) === value),
    )
    return found.length === 0 ? undefined : found.reduce((all, { value }) => all + value, 0)
  }
  const number = (value: number | undefined) => value?.toLocaleString('en')
  const bytes = (value: number | undefined) => (value === undefined ? undefined : sizeText(value))
  const shown = [
    ['Requests in progress', number(sum('casemill_http_requests_in_flight'))],
    ['Requests answered', number(sum('casemill_http_requests_total'))],
    ['Free disk space', bytes(sum('casemill_disk_free_bytes'))],
    ['Disk', bytes(sum('casemill_disk_total_bytes'))],
    ['Memory', bytes(sum('process_resident_memory_bytes'))],
    ['Running jobs', number(sum('casemill_jobs_running'))],
    ['Waiting jobs', number(sum('casemill_jobs_queued'))],
    ['Waiting tasks', number(sum('casemill_work_tasks', { state: 'waiting' }))],
    ['Failed tasks', number(sum('casemill_work_tasks', { state: 'failed' }))],
  ] as const
  return shown.flatMap(([title, value]) => (value === undefined ? [] : [{ title, value }]))
}
