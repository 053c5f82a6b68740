// Lists of histologies: `8140` with any behavior, `8140/3` with one. They are the lists in multiple-primaries.md
// 8.2, which come from the reference implementation. Some names do not fit: the specific lists contain
// 8000-8005, which are not specific. Ranges are inclusive and also match codes that ICD-O does not assign.

export const HISTOLOGIES = {
  // Solid tumors before 2007. Some of these lists are also used by later rules.
  carcinomaNos: '8010',
  carcinomaSpecific: `
    8000-8005 8011-8015 8020-8022 8030-8035 8041-8046 8050-8052 8070-8078 8080-8084 8090-8098 8102
    8110 8120-8124 8130 8131 8140-8148 8150-8157 8160-8162 8170-8175 8180 8190 8200 8201 8210 8211
    8214 8215 8220 8221 8230 8231 8240-8247 8249-8256 8260-8263 8270-8272 8280 8281 8290 8300 8310
    8312-8323 8330-8333 8335 8337 8340-8347 8350 8370 8380-8384 8390 8400-8403 8407-8410 8413 8420
    8430 8440-8442 8450-8453 8460-8462 8470-8473 8480-8482 8490 8500-8504 8507 8508 8510 8512-8514
    8520-8525 8530 8540-8543 8550 8551 8560-8562 8570-8576 8580-8586 8588 8589 9070 9100 9110
  `,
  adenocarcinomaNos: '8140',
  adenocarcinomaSpecific: `
    8000-8005 8010 8011 8020-8022 8046 8141-8148 8154 8160-8162 8190 8200 8201 8210 8211 8214 8215
    8220 8221 8230 8231 8244 8245 8250-8255 8260-8263 8270-8272 8280 8281 8290 8300 8310 8312-8320
    8322 8323 8330-8333 8335 8337 8350 8370 8380-8384 8390 8400-8403 8407-8410 8413 8420 8440-8442
    8450-8453 8460-8462 8470-8473 8480-8482 8490 8500-8504 8507 8508 8510 8512-8514 8520-8525 8530
    8540-8543 8550 8551 8561 8562 8570-8576
  `,
  melanomaNos: '8720',
  melanomaSpecific: '8000-8005 8721-8790',
  sarcomaNos: '8800',
  sarcomaSpecific: `
    8000-8005 8801-8806 8810-8815 8830 8832 8833 8840 8842 8850-8855 8857 8858 8890 8891 8894-8896
    8900-8902 8910 8912 8920 8921 8930 8931 8933 8935 8936 8990 8991 9040-9044 9180-9243 9260 9261
  `,
  smallCellCarcinoma: '8041-8045',
  nonSmallCellCarcinoma: '8046',
  retinoblastoma: '9510-9513',
  wilms: '8960',
  kaposiSarcoma: '9140',

  // Colon.
  familialAdenomatousPolyposis: '8220',
  familialPolyposis: '8220 8221',
  polyp: '8210 8211 8213 8220 8221 8261-8263',

  // Lung.
  specificNonSmallCellCarcinoma: `
    8012-8014 8022 8031-8033 8052 8070-8073 8082-8084 8123 8140 8200 8230 8250-8255 8260 8310 8333
    8430 8470 8480 8481 8490 8550 8560 8972 8980
  `,
  adenocarcinomaWithMixedSubtypes: '8255',
  bronchioalveolar: '8250-8254',
  lung2018Table2: '8013 8033 8045 8070 8072-8074 8254/3 8255/3 8560 8562',

  // Breast.
  /** The reference implementation has this list, but no rule uses it. */
  inflammatoryCarcinoma: '8530',
  ductCarcinoma: '8022 8035 8500-8503 8508',
  intraductalCarcinoma: '8201 8230 8401 8500 8501 8503 8504 8507',
  lobularCarcinoma: '8520 8522 8524',
  pagetDisease: '8540-8543',
  breast2018Table2: '8255/3 8500 8519/2 8520 8522-8524 8540 8541/3 8543 8575',
  /** The reference implementation has this list and the next three, but no rule uses them. */
  breastDuct2018: '8035/3 8500/2 8500/3 8519/2 8520/2 8520/3',
  breastNstDuctCarcinoma2018: '8022/3 8035/3 8201/3 8500/2 8500/3',
  breastLobular2018: '8522/2 8522/3',
  breastLobularCarcinoma2018: '8519/2 8520/2 8520/3',

  // Kidney and urinary tract.
  renalCellSpecific: '8260 8310 8316-8320 8510 8959',
  transitionalCellCarcinoma: '8120-8124',
  papillaryCarcinomaNos: '8050',
  papillaryTransitionalCellCarcinoma: '8130 8131',
  urothelial: '8020 8031 8082 8120 8122 8130 8131',
  urothelial2018: '8020 8031 8082 8120 8122 8130 8131',
  urothelial2018NotMicropapillary: '8020 8031 8082 8120 8122 8130',

  // Brain.
  glialTumors: '9380-9382 9400 9401 9410 9411 9420 9421 9423 9424 9430 9440-9442',
  glialTumors2018: '9380 9385 9391-9393 9396 9400 9401 9411 9424 9430 9440-9442 9445 9450 9451',
  glioblastoma: '9440',
  meningiomas2018: '9530/0 9531/0 9532/0 9534/0 9537/0 9538/1 9539/1',

  // Thyroid, prostate and other sites.
  follicular: '8330/3 8331/3 8332/3 8335/3 8339/3',
  follicularNos: '8330/3',
  papillary: '8260/3 8340/3 8343/3 8344/3 8350/3',
  papillaryNos: '8260/3',
  anaplasticCarcinoma: '8021/3',
  otherThyroidHistologies: `
    8260/3 8290/3 8330/3 8331/3 8332/3 8335/3 8337/3 8339/3 8340/3 8343/2 8343/3 8344/3 8345/3
    8350/3
  `,
  prostateSubtypes: '8140 8201/3 8230/3 8260/3 8480/3 8490/3 8500 8572/3',
  otherSites2023Table2: `
    8013 8045 8094 8154 8180 8244 8255 8323 8340 8346 8347 8552 8560 8850 8902 9085 9101
  `,

  // Hematopoietic tumors.
  hodgkinLymphoma: '9650-9653 9655 9659 9663',
  nonHodgkinLymphoma: '9591 9670-9729',
  lymphomaNosAndNonHodgkin: '9590 9591 9673 9678 9679 9687 9735-9738 9823 9827',
  bcell: '9671 9673 9678-9680 9687-9691 9695 9698 9699',
  tcell: '9702 9705 9708 9709 9716-9719 9724 9726 9827 9831 9834 9837',
  plasmacytoma: '9731 9732 9734',
  ptld: '9971',
  malt: '9699/3',
  mastCellLeukemia: '9742',
  mastCellSarcoma: '9740',
  myeloidLeukemia: '9840 9861 9865-9867 9869-9874 9891 9895-9898 9910 9911 9931',
  myeloidSarcoma: '9930',
} as const
