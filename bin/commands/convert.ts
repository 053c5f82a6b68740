import { Command, Option } from 'commander'
import {
  CONVERSION_FORMATS,
  type Conversion,
  type ConversionFormat,
  type ConversionSummary,
  LineBatches,
  Naaccr,
  RegistryConversions,
  readConversion,
} from '../../engine/registry/index.ts'
import { withSharedState } from '../data-folder.ts'
import { FileTotals } from '../file-totals.ts'
import { keepYoungSmall, limitHeaps } from '../heaps.ts'
import { lineFileName, openLines } from '../line-file.ts'
import { deliverResults, dictionaryFinder, printCounts, processFiles } from '../registry-file.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly rules: string
  readonly dictionary?: readonly string[]
  readonly format: ConversionFormat
  readonly strict?: true
  readonly output?: string
}

/** Command `casemill convert cases.xml --rules conversion.txt`. */
export function convertCommand(terminal: Terminal): Command {
  const formats = new Option(
    '--format <name>',
    'xml: the file with the new values; ndjson: an object for each patient; tsv: a row for each change',
  )
  return new Command('convert')
    .description(
      'convert a NAACCR file to another version of an algorithm by rules; exit status 1 if a patient is not accepted',
    )
    .argument(
      '<file...>',
      'NAACCR XML, or fixed columns of version 18, plain or gzip; - for standard input',
    )
    .requiredOption(
      '--rules <file>',
      'conversion rules; casemill staging diff --format conversion proposes some',
    )
    .option(
      '--dictionary <file...>',
      'dictionaries of the file (XML, plain or gzip), instead of the imported ones',
    )
    .addOption(formats.choices(CONVERSION_FORMATS).default('xml'))
    .option('--strict', 'refuse a file with a misplaced, repeated or malformed item')
    .option(
      '-o, --output <path>',
      'output file; a folder for several files; by default standard output',
    )
    .action((paths: readonly string[], options: Options, command: Command) => {
      limitHeaps()
      keepYoungSmall()
      const { output, format, strict } = options
      const { signal } = terminal
      return withSharedState(command, { create: false }, (state) =>
        withThreads(async (executor) => {
          const conversion = await readConversion(options.rules, { signal })
          const naaccr = new Naaccr({ state })
          const findDictionary = await dictionaryFinder(options.dictionary, naaccr, signal)
          const conversions = new RegistryConversions({ batches: new LineBatches(executor) })
          const totals = new FileTotals({ converted: 'values changed', ...KINDS })
          await processFiles(paths, { output, extension: format }, terminal, async (one) => {
            const file = lineFileName(one.path)
            const converted = await conversions.convert(await openLines(one.path), {
              findDictionary,
              conversion,
              format,
              strict,
              signal,
              file,
            })
            await deliverResults(converted, {
              file,
              output: one.output,
              terminal,
              explain: () => {
                totals.add(converted.summary())
                explain(converted.summary(), conversion, file, terminal)
              },
            })
          }).finally(() => {
            if (paths.length > 1) totals.explain(terminal)
          })
        }),
      )
    })
}

/** Descriptions of the kinds of counts. */
const KINDS: Readonly<Record<string, string>> = {
  refused: 'patients not converted',
  left_out: 'values left as they are, because the new one does not match its item',
  fault: 'faults of items',
  review: 'tumors or patients to review',
}

/** Prints what was changed and what a person has to check. */
function explain(
  { patients, tumors, rules: applied, notApplied, counts }: ConversionSummary,
  { rules }: Conversion,
  file: string | undefined,
  terminal: Terminal,
): void {
  const of = file === undefined ? '' : `${file}: `
  const changed = counts.filter(({ kind }) => kind === 'converted')
  const sum = changed.reduce((total, { count }) => total + count, 0)
  terminal.explain(
    `casemill: ${of}${patients} patients with ${tumors} tumors, ${sum} values changed by ${applied} rules`,
  )
  const names = new Map(rules.map(({ number, name }) => [number, name]))
  for (const { code, of: item, count } of changed) {
    terminal.explain(`  ${code} ${names.get(code)}: ${item}, ${count}`)
  }
  if (notApplied.length > 0) {
    const what = 'rules that read or change items which the file cannot have, and were not applied'
    terminal.explain(`casemill: warning: ${what}: ${notApplied.join(', ')}`)
  }
  const namedCounts = counts.map((one) =>
    one.kind === 'review' ? { ...one, code: `${one.code} ${names.get(one.code)}` } : one,
  )
  printCounts(namedCounts, KINDS, terminal)
}
