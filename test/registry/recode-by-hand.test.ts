import { describe, expect, test } from 'vitest'
import { Recodes } from '../../engine/registry/index.ts'

// Expectations derived by hand from registry-lookups.md 4, where nothing is recorded.

const recodes = new Recodes()

describe('the behavior recode', () => {
  // Each by the number of the rule in 4.1 that decides.
  test.each([
    ['1: no site', '8500', '8000', '3', '2015', '9'],
    ['1: no year', 'C500', '8000', '3', '', '9'],
    ['1: benign and outside the brain', 'C500', '8000', '0', '2015', '9'],
    ['2, 8: bladder in situ counts as malignant', 'C670', '8120', '2', '2015', '3'],
    ['2, 8: bladder, the last site', 'C679', '8120', '1', '1990', '3'],
    ['4: beside the bladder', 'C680', '8120', '2', '2015', '2'],
    ['3: benign brain', 'C709', '9530', '0', '2004', '0'],
    ['3: borderline pineal gland', 'C753', '9361', '1', '2020', '1'],
    ['1: before 2004 it is not collected', 'C709', '9530', '0', '2003', '9'],
    ['1: borderline brain before 2004', 'C700', '9530', '1', '2003', '9'],
    ['7: beside the brain', 'C754', '8000', '1', '2020', '5'],
    ['5: polycythemia since 2001', 'C421', '9950', '3', '2001', '4'],
    ['8: polycythemia before', 'C421', '9950', '3', '2000', '3'],
    ['5: between the ranges', 'C421', '9981', '3', '2015', '3'],
    ['6: lung', 'C349', '9133', '3', '2001', '4'],
    ['8: not of the lung', 'C350', '9133', '3', '2001', '3'],
    ['9: since 2010', 'C421', '9991', '3', '2010', '6'],
    ['8: the year before', 'C421', '9991', '3', '2009', '3'],
    ['2, 9: of the bladder', 'C675', '9751', '1', '2012', '6'],
  ])('rule %s', (_, site, hist, behavior, year, recode) => {
    const told = recodes.recode({ site, hist, behavior, year }, { recode: 'behavior' })
    expect(told).toEqual({ site, hist, behavior, year, recode })
  })
})

describe('days to treatment', () => {
  // `date -d 2023-05-15 +%s` less that of 2023-04-01, by 86,400, is 44; clamped at 0 and 998.
  test.each([
    ['20230401', '20230515', '044'],
    ['20230401', '20230401', '000'],
    ['20230401', '20230331', '000'],
    // 2024 has a 29th of February: 29 days of January to March are one more.
    ['20240228', '20240301', '002'],
    ['20230228', '20230301', '001'],
    // 365 + 365 + 268 days: `date -d '2021-01-01 + 998 days'` is 2023-09-26.
    ['20210101', '20230926', '998'],
    ['20210101', '20230927', '998'],
    ['20230229', '20230515', '999'],
    ['2023040', '20230515', '999'],
    ['20231301', '20230515', '999'],
    ['20230401', '', '999'],
  ])('from %s to %s are %s', (date_of_diagnosis, date_of_treatment, days) => {
    const dates = { date_of_diagnosis, date_of_treatment }
    expect(recodes.recode(dates, { recode: 'days-to-treatment' })).toEqual({ ...dates, days })
  })
})

describe('causes of death', () => {
  // By the cut-off year and the rows of groups in 4.4.
  const dead = { sequence: '00', icd_revision: '1', cause_of_death: 'C509' }
  test.each([
    [{ ...dead, year_last_contact: '2021', cut_off_year: '2020' }, ['0', '0']],
    [{ ...dead, year_last_contact: '2020', cut_off_year: '2020' }, ['1', '0']],
    [{ ...dead, year_last_contact: '9999', cut_off_year: '2020' }, ['1', '0']],
    [{ ...dead, sequence: '60' }, ['9', '9']],
    [{ ...dead, cause_of_death: 'I21' }, ['0', '1']],
    [{ ...dead, cause_of_death: 'I2' }, ['8', '8']],
  ])('%j', (input, wanted) => {
    const { cause_specific, cause_other } = recodes.recode(input, { recode: 'cause-of-death' })
    expect([cause_specific, cause_other]).toEqual(wanted)
  })
})
