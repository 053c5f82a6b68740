import { readFileSync } from 'node:fs'
import { publicData } from '../../../fixtures/public-data.ts'
import { type NaiveInput, naiveTable } from './naive-recodes.ts'
import { readCsv } from './read-csv.ts'

// A second implementation of the rule recodes, independent of the engine: one condition after the other as in
// registry-lookups.md 4, with the published files.

type Values = Readonly<Record<string, string>>
export type NaiveRule = (given: Values) => Values

const read = (file: string) => readFileSync(publicData('data/recode', file), 'utf8')
const linesOf = (file: string) => read(file).trimEnd().split(/\r?\n/)

/** Whether a list such as `8000-8005, 9140` contains a number. */
function among(list: string, number: number): boolean {
  for (const part of list.split(',')) {
    const [low = Number.NaN, high = low] = part.split('-').map(Number)
    if (number >= low && number <= high) return true
  }
  return false
}

/** Whether a list of texts of equal length contains a text. */
function amongTexts(list: string, text: string): boolean {
  for (const part of list.split(/[, ]+/)) {
    const [low = '', high = low] = part.split('-')
    if (low !== '' && text >= low && text <= high) return true
  }
  return false
}

export const naiveBehavior: NaiveRule = ({ site = '', hist = '', behavior = '', year = '' }) => {
  const isKnown =
    /^C[0-9]{3}$/.test(site) &&
    /^[0-9]{4}$/.test(hist) &&
    /^[0123]$/.test(behavior) &&
    /^[0-9]{4}$/.test(year)
  if (!isKnown) return { recode: '9' }
  const place = Number(site.substring(1))
  const morphology = Number(hist)
  const diagnosed = Number(year)
  const isBladder = place >= 670 && place <= 679
  const isBrain = among('700,701,709-729,751-753', place)
  const b = isBladder ? 3 : Number(behavior)
  const late = among('9724,9751,9759,9831,9975,9991,9992', morphology)
  if (b === 3 && diagnosed >= 2010 && late) return { recode: '6' }
  if (isBrain && diagnosed >= 2004 && b < 2) return { recode: String(b) }
  if (b === 2) return { recode: '2' }
  const marrow = '9393,9538,9950,9960-9962,9980,9982-9987,9989'
  if (b === 3 && diagnosed >= 2001 && among(marrow, morphology)) return { recode: '4' }
  if (b === 3 && diagnosed >= 2001 && morphology === 9133 && place >= 340 && place <= 349) {
    return { recode: '4' }
  }
  if (b === 1 && !isBrain) return { recode: '5' }
  return { recode: b === 3 ? '3' : '9' }
}

export const naiveGrade: NaiveRule = (given) => {
  const { schema_id: schema = '', behavior = '' } = given
  let order = 'S54321EDCBAHML9 '
  if ('00790 00795 00811 00812 00821 00822 00830'.split(' ').includes(schema)) order = '8 '
  if (schema === '00480') order = behavior === '2' ? 'HML321DCBA9 ' : '321HMLDCBA9 '
  if (schema === '00480' && behavior !== '2' && behavior !== '3') return {}
  for (const grade of order) {
    for (const one of [given.grade_clinical, given.grade_pathological]) {
      const written = one === undefined || one.trim() === '' ? ' ' : one
      if (written === grade) return grade === ' ' ? {} : { grade }
    }
  }
  return {}
}

export const naiveDays: NaiveRule = ({ date_of_diagnosis = '', date_of_treatment = '' }) => {
  const times: number[] = []
  for (const text of [date_of_diagnosis, date_of_treatment]) {
    const iso = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
    const date = new Date(`${iso}T00:00:00Z`)
    const isDate = /^[0-9]{8}$/.test(text) && !Number.isNaN(date.getTime())
    // A day beyond the end of its month would be taken for one of the next month.
    if (!isDate || date.toISOString().slice(0, 10) !== iso) return { days: '999' }
    times.push(date.getTime())
  }
  const days = ((times[1] ?? 0) - (times[0] ?? 0)) / 86_400_000
  return { days: String(days < 0 ? 0 : days > 998 ? 998 : days).padStart(3, '0') }
}

export function naiveCauses(edition: '2008' | '2023'): NaiveRule {
  const groups = naiveTable(`seer ${edition}`)
  const file = edition === '2008' ? 'data_2008_post_bug_fix.txt' : 'data_2023.txt'
  const ofGroups = Map.groupBy(
    linesOf(file)
      .slice(1)
      .map((line) => line.split(';')),
    ([icd, sequence, group]) => `${icd};${sequence};${group}`,
  )
  return (given) => {
    const { sequence = '', icd_revision: icd = '', hist = '' } = given
    const answer = (cause_specific: string, cause_other: string) => ({
      cause_specific,
      cause_other,
    })
    if (!/^[0-5]?[0-9]$/.test(sequence)) return answer('9', '9')
    const [last, cut] = [given.year_last_contact ?? '', given.cut_off_year ?? '']
    const areYears = /^[0-9]{4}$/.test(last) && /^[0-9]{4}$/.test(cut)
    if (icd === '0' || (areYears && last !== '9999' && Number(last) > Number(cut))) {
      return answer('0', '0')
    }
    const cause = (given.cause_of_death ?? '').trim().toUpperCase()
    if (cause.length < 3 || cause === '7777' || cause === '7797') return answer('8', '8')
    const isOne = sequence.padStart(2, '0') === '00'
    const three = cause.slice(0, 3)
    const { code: group } = groups.recode(given as NaiveInput)
    const isMelanoma = among('8720-8799', /^[0-9]+$/.test(hist) ? Number(hist) : -1)
    const isMarrow = among('9950,9960-9964,9980-9989', /^[0-9]+$/.test(hist) ? Number(hist) : -1)
    let counts = false
    if (isOne && icd !== '1')
      counts = (icd === '8' || icd === '9') && three >= '140' && three <= '239'
    if (isOne && icd === '9' && cause === '0422') counts = true
    if (isOne && icd === '1') counts = (three >= 'C00' && cause <= 'D489') || three === 'B21'
    if (!isOne && (icd === '8' || icd === '9')) counts = three === '199'
    if (!isOne && icd === '8' && isMelanoma) counts ||= amongTexts('172', three)
    if (!isOne && icd === '8' && isMelanoma) counts ||= amongTexts('2169 2322', cause)
    if (!isOne && icd === '9' && isMelanoma) counts ||= amongTexts('172 216 232', three)
    if (!isOne && icd === '1') {
      counts = amongTexts('C80 C97', three) || cause === 'C798' || cause === 'D489'
      if (isMelanoma) counts ||= amongTexts('C43 D03 D22', three)
      if (edition === '2008' && isMarrow) counts ||= amongTexts('C77 C81-C96 D36 D45-D47', three)
      else if (edition === '2008' && group === '37000') {
        counts ||= (three >= 'C00' && cause <= 'D489') || cause === 'D619'
      }
    }
    for (const row of ofGroups.get(`${icd};${isOne ? '0' : '1-59'};${group}`) ?? []) {
      const [, , , threes = '', wholes = ''] = row
      counts ||= amongTexts(threes, three) || (/\d/.test(wholes) && amongTexts(wholes, cause))
    }
    return counts ? answer('1', '0') : answer('0', '1')
  }
}

export function naiveSize(): NaiveRule {
  const edits = new Map<string, string>()
  for (const [name = '', sizes = ''] of readCsv(read('tumor-size-over-time-edits.csv'))) {
    edits.set(name.slice(0, 4), sizes)
  }
  return (given) => {
    const { site = '', hist = '', behavior = '' } = given
    const isOf = (list: string) => amongTexts(list, site)
    const isHist = (list: string) => amongTexts(list, hist)
    if (isHist('8720-8790 9140 9590-9993')) return { tumor_size: 'XX1' }
    if (isOf('C420-C424 C690 C760-C779 C809') && isHist('8000-9993')) return { tumor_size: 'XX1' }
    const year = /^[0-9]{4}$/.test(given.year ?? '') ? Number(given.year) : 0
    if (year < 1988) return {}
    const isEod = year < 2004
    const isCs = !isEod && year < 2016
    const item = isEod ? 'eod_tumor_size' : isCs ? 'cs_tumor_size' : 'tumor_size_summary'
    let size = given[item] ?? ''
    if (size.trim() === '') return {}
    const isLung = isOf('C340-C349')
    const isBreast = isOf('C500-C509')
    if (amongTexts('401-989', size)) size = '999'
    else if (isEod) {
      if (size === '990') size = '989'
      else if (size === '001') size = '990'
      else if (size === '002' && (isLung || isBreast)) size = '999'
      else if (size === '997' && isBreast) size = '999'
    } else if (isCs) {
      const plain = { '991': '005', '992': '015', '993': '025', '994': '035', '995': '045' }
      const found = (plain as Values)[size]
      const isStromal = year >= 2010 && isHist('8935-8936') && isOf('C150-C209 C480 C482 C488')
      const pair = (low: string, high: string) => (size === '996' ? low : high)
      if (found !== undefined) size = found
      else if (size === '996' || size === '997') {
        if (isLung) size = pair('999', '998')
        else if (isOf('C400-C403 C408-C414 C418-C419')) size = pair('065', '085')
        else if (isStromal) size = pair('075', '105')
        else if (isBreast) size = '999'
        else if (site === 'C649') size = pair('065', '075')
        else size = pair('055', '999')
      } else if (size === '998' && site === 'C649' && !isStromal) size = '105'
    }
    if (size === '998') {
      const isDiffuse = isOf('C150-C169 C340-C349 C500-C509')
      const isPolyposis = isOf('C180-C189 C199 C209') && isHist('8220-8221') && behavior === '3'
      return { tumor_size: isDiffuse || isPolyposis ? '998' : '999' }
    }
    const accepted = edits.get(site)
    // For some sites, the file says in words that there is too little data to tell.
    const isAccepted = !accepted || /enough/.test(accepted) || amongTexts(accepted, size)
    return { tumor_size: /^[0-9]{3}$/.test(size) && isAccepted ? size : '999' }
  }
}

export function naiveIcd(file: string): NaiveRule & { readonly codes: readonly string[] } {
  const rows = readCsv(read(`icd/${file}.csv`)).slice(1)
  const ofCodes = Map.groupBy(rows, (row) => row[0])
  const rule: NaiveRule = ({ code = '', sex }) => {
    const letters = code.toUpperCase().split('')
    // A dot after the first three characters is removed.
    if (letters[3] === '.') letters.splice(3, 1)
    let plain = letters.join('')
    if (file.startsWith('icd-10-to') && plain.length === 3) plain += '9'
    const found = ofCodes.get(plain) ?? []
    const [row] = [
      ...found.filter((one) => one[7] !== '' && one[7] === sex),
      ...found.filter((one) => one[7] === ''),
      ...found.filter((one) => sex === undefined && one[7] === '1'),
    ]
    if (!row || (code.length > 3 && code.endsWith('.'))) return {}
    const names = ['', 'site', 'hist', 'behavior', 'grade', 'laterality', 'reportable']
    return Object.fromEntries(
      names.flatMap((name, i) => (i > 0 && row[i] ? [[name, row[i] as string]] : [])),
    )
  }
  return Object.assign(rule, { codes: rows.map((row) => row[0] ?? '') })
}

export function naiveO2(): NaiveRule {
  const plain = linesOf('icd/icdo3.to.icdo2.morphology.txt')
  const special = linesOf('icd/icdo3.to.icdo2.morphology.special.txt')
  return ({ site = '', hist = '', behavior = '' }) => {
    let conversion = 'done'
    if (!/^[Cc][0-9]{3}$/.test(site) || Number(site.slice(1)) > 809) conversion = 'invalid_site'
    const number = /^[0-9]{4}$/.test(hist) ? Number(hist) : 0
    if (number < 8000 || number > 9999) conversion = 'invalid_hist'
    if (!/^[012369]$/.test(behavior)) conversion = 'invalid_behavior'
    if (conversion !== 'done') return { conversion }
    const line = plain[number - 8000] ?? ''
    if (line === '9999XXX') return { conversion: 'invalid_hist' }
    let to = line.slice(0, 4)
    let toBehavior = behavior
    if (line[4] === 'A' || line[4] === behavior) conversion = 'review'
    if (number === 8402 && behavior === '3') conversion = 'review'
    if (line[5] === 'A' || line[5] === behavior) {
      const found = special.find((one) => one.startsWith(hist + behavior))
      if (found) [to, toBehavior] = [found.slice(5, 9), found.slice(9, 10)]
    }
    const place = Number(site.slice(1))
    if (line[6] === behavior) {
      if (number === 8240 && place !== 181) to = '8241'
      if (number === 8240 && place === 181) conversion = 'review'
      if (number === 8245) to = '8240'
      if (number === 8245) toBehavior = place === 181 ? '1' : '3'
      if (number === 8249 && place === 181) toBehavior = '1'
      if (number === 9133 && place >= 340 && place <= 349) [to, toBehavior] = ['9134', '1']
      if (number === 9133 && place >= 340 && place <= 349) conversion = 'review'
      if (number === 9160 && place >= 440 && place <= 449) to = '8724'
      if (number === 9590 && place >= 710 && place <= 719) to = '9594'
      if (number === 9590 && place >= 710 && place <= 719) conversion = 'review'
      if (number === 8245 || number === 9160) conversion = 'review'
    }
    return { hist_icd_o_2: to, behavior_icd_o_2: toBehavior, conversion }
  }
}

/** The rule of 4.9: a table of the meaning of each code, and one of subtypes by receptors. */
export const naiveBreast: NaiveRule = (given) => {
  const { site = '', hist = '', year = '' } = given
  const number = /^[0-9]{4}$/.test(hist) ? Number(hist) : 0
  const isHistology = (number >= 8000 && number <= 8700) || number === 8982 || number === 8983
  const isMelanoma = number >= 8720 && number <= 8790 && site !== 'C500'
  const isSite = ['C500', 'C501', 'C502', 'C503', 'C504', 'C505', 'C506', 'C508', 'C509']
  const isLate = /^[0-9]{4}$/.test(year) && Number(year) > 2009
  if (!isLate || !isSite.includes(site) || !(isHistology || isMelanoma)) {
    return { er: '9', pr: '9', her2: '9', subtype: '9' }
  }
  const items = Number(year) > 2017
  const told = (code: string | undefined) => {
    if (code === (items ? '1' : '010')) return '1'
    return code === (items ? '0' : '020') ? '2' : '4'
  }
  const er = told(items ? given.er_summary : given.cs_factor_1)
  const pr = told(items ? given.pr_summary : given.cs_factor_2)
  let her2 = told(items ? given.her2_summary : given.cs_factor_15)
  if (!items && ['', '988'].includes(given.cs_factor_15 ?? '')) {
    const all = [given.cs_factor_11, given.cs_factor_13, given.cs_factor_14].map(told).join('')
    her2 = /1/.test(all) ? '1' : /2/.test(all) ? '2' : told(given.cs_factor_9)
  }
  const hormone = er + pr
  const column = /1/.test(hormone) ? 0 : hormone === '22' ? 1 : 2
  const subtype = { '1': '125', '2': '345', '4': '555' }[her2]?.[column] ?? '5'
  return { er, pr, her2, subtype }
}
