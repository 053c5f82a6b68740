/**
 * International Classification of Childhood Cancer, third edition (seer.cancer.gov/iccc/iccc3.html). Columns:
 * group, name, sites, histologies. The first matching row applies (readTable in table-text.ts).
 */
export const ICCC_3 = `
001 | Precursor cell leukemias | C000-C809 | 9835 9836 9837
002 | Mature B-cell leukemias | C000-C809 | 9823 9826 9832 9833 9940
003 | Mature T-cell and NK cell leukemias | C000-C809 | 9827 9831 9834 9948
004 | Lymphoid leukemia, NOS | C000-C809 | 9820
005 | Acute myeloid leukemias | C000-C809 | 9840 9861 9866 9867 9870-9874 9891 9895-9897 9910 9920
  9931
006 | Chronic myeloproliferative diseases | C000-C809 | 9863 9875 9876 9950 9960-9964
007 | Myelodysplastic syndrome and other myeloproliferative diseases | C000-C809 | 9945 9946 9975
  9980 9982-9987 9989
008 | Unspecified and other specified leukemias | C000-C809 | 9800 9801 9805 9860 9930
009 | Hodgkin lymphomas | C000-C809 | 9650-9655 9659 9661-9665 9667
010 | Precursor cell lymphomas | C000-C809 | 9727-9729
011 | Mature B-cell lymphomas (except Burkitt lymphoma) | C000-C809 | 9670 9671 9673 9675 9678-9680
  9684 9689-9691 9695 9698 9699 9731-9734 9761 9762 9764-9766 9769 9970
012 | Mature T-cell and NK-cell lymphomas | C000-C809 | 9700-9702 9705 9708 9709 9714 9716-9719 9767
  9768
013 | Non-Hodgkin lymphomas,NOS | C000-C809 | 9591 9760
014 | Burkitt lymphoma | C000-C809 | 9687
015 | Miscellaneous lymphoreticular neoplasms | C000-C809 | 9740-9742 9750 9754-9758
016 | Unspecified lymphomas | C000-C809 | 9590 9596
017 | Ependymomas | C000-C809 | 9383 9391-9394
018 | Choroid plexus tumor | C000-C809 | 9390
019 | Astrocytomas | C723 | 9380
019 | Astrocytomas | C000-C809 | 9384 9400-9411 9420 9421-9424 9440-9442
020 | Medulloblastomas | C000-C809 | 9470-9472 9474 9480
021 | PNET | C000-C809 | 9473
022 | Medulloepithelioma | C700-C729 | 9501-9504
023 | Atypical teratoid/rhabdoid tumor | C000-C809 | 9508
024 | Oligodendrogliomas | C000-C809 | 9450 9451 9460
025 | Mixed and unspecified gliomas | C700-C722 C724-C729 C751 C753 | 9380
025 | Mixed and unspecified gliomas | C000-C809 | 9382
026 | Neuroepithelial glial tumors of uncertain origin | C000-C809 | 9381 9430 9444
027 | Pituitary adenomas and carcinomas | C000-C809 | 8270-8281 8300
028 | Tumors of the sellar region (craniopharyngiomas) | C000-C809 | 9350-9352 9582
029 | Pineal parenchymal tumors | C000-C809 | 9360-9362
030 | Neuronal and mixed neuronal-glial tumors | C000-C809 | 9412 9413 9492 9493 9505-9507
031 | Meningiomas | C000-C809 | 9530-9539
032 | Unspecified intracranial and intraspinal neoplasms | C700-C729 C751-C753 | 8000-8005
033 | Neuroblastoma and ganglioneuroblastoma | C000-C809 | 9490 9500
034 | Other peripheral nervous cell tumors | C000-C809 | 8680-8683 8690-8693 8700 9520-9523
034 | Other peripheral nervous cell tumors | C000-C699 C739-C768 C809 | 9501-9504
035 | Retinoblastoma | C000-C809 | 9510-9514
036 | Nephroblastoma | C000-C809 | 8959 8960
037 | Rhabdoid renal tumor | C649 | 8963
038 | Kidney sarcomas | C000-C809 | 8964-8967
039 | pPNET of kidney | C649 | 9364
040 | Renal carcinomas | C649 | 8010-8041 8050-8075 8082 8120-8122 8130-8141 8143 8155 8190-8201
  8210 8211 8221-8231 8240 8241 8244-8246 8260-8263 8290 8310 8320 8323 8401 8430 8440 8480-8490
  8504 8510 8550 8560-8576
040 | Renal carcinomas | C000-C809 | 8311 8312 8316-8319 8361
041 | Unspecified malignant renal tumors | C649 | 8000-8005
042 | Hepatoblastoma | C000-C809 | 8970
043 | Hepatic carcinomas | C220 C221 | 8010-8041 8050-8075 8082 8120-8122 8140 8141 8143 8155
  8190-8201 8210 8211 8230 8231 8240 8241 8244-8246 8260-8264 8310 8320 8323 8401 8430 8440
  8480-8490 8504 8510 8550 8560-8576
043 | Hepatic carcinomas | C000-C809 | 8160-8180
044 | Unspecified malignant hepatic tumors | C220-C221 | 8000-8005
045 | Osteosarcomas | C400-C419 C760-C768 C809 | 9180-9187 9191-9195 9200
046 | Chondrosarcomas | C400-C419 C760-C768 C809 | 9210 9220 9240
046 | Chondrosarcomas | C000-C809 | 9221 9230 9241-9243
047 | Ewing tumor and Askin tumor of bone | C400-C419 C760-C768 C809 | 9260
047 | Ewing tumor and Askin tumor of bone | C400-C419 | 9365
048 | pPNET of bone | C400-C419 | 9363 9364
049 | Malignant fibrous neoplasms of bone | C400-C419 | 8810 8811 8823 8830
049 | Malignant fibrous neoplasms of bone | C000-C809 | 8812 9262
050 | Malignant chordomas | C000-C809 | 9370-9372
051 | Odontogenic malignant tumors | C000-C809 | 9270-9275 9280-9282 9290 9300-9302 9310-9312
  9320-9322 9330 9340-9342
052 | Miscellaneous malignant bone tumors | C000-C809 | 9250 9261
053 | Unspecified malignant bone tumors | C400-C419 | 8000-8005 8800 8801 8803-8805
054 | Rhabdomyosarcomas | C000-C809 | 8900-8905 8910 8912 8920 8991
055 | Fibroblastic and myofibroblastic tumors | C000-C399 C440-C768 C809 | 8810 8811 8813-8815 8821
  8823 8834-8835
055 | Fibroblastic and myofibroblastic tumors | C000-C809 | 8820 8822 8824-8827 9150 9160
056 | Nerve sheath tumors | C000-C809 | 9540-9571
057 | Other fibromatous neoplasms | C000-C809 | 9491 9580
058 | Kaposi sarcoma | C000-C809 | 9140
059 | Ewing tumor and Askin tumor of soft tissue | C000-C399 C470-C759 | 9260
059 | Ewing tumor and Askin tumor of soft tissue | C000-C399 C470-C639 C659-C768 C809 | 9365
060 | pPNET of soft tissue | C000-C399 C470-C639 C659-C699 C739-C768 C809 | 9364
061 | Extrarenal rhabdoid tumor | C000-C639 C659-C699 C739-C768 C809 | 8963
062 | Liposarcomas | C000-C809 | 8850-8858 8860-8862 8870 8880 8881
063 | Fibrohistiocytic tumors | C000-C399 C440-C768 C809 | 8830
063 | Fibrohistiocytic tumors | C000-C809 | 8831-8833 8836 9251 9252
064 | Leiomyosarcomas | C000-C809 | 8890-8898
065 | Synovial sarcomas | C000-C809 | 9040-9044
066 | Blood vessel tumors | C000-C809 | 9120-9125 9130-9133 9135 9136 9141 9142 9161 9170-9175
067 | Osseous and chondromatous neoplasms of soft tissue | C490-C499 | 9180 9210 9220 9240
067 | Osseous and chondromatous neoplasms of soft tissue | C000-C809 | 9231
068 | Alveolar soft parts sarcoma | C000-C809 | 9581
069 | Miscellaneous soft tissue sarcomas | C000-C809 | 8587 8710-8713 8806 8840-8842 8921 8982 8990
  9373
070 | Unspecified soft tissue sarcomas | C000-C399 C440-C768 C809 | 8800-8805
071 | Intracranial and intraspinal germinomas | C700-C729 C751-C753 | 9060-9065
072 | Intracranial and intraspinal teratomas | C700-C729 C751-C753 | 9080-9084
073 | Intracranial and intraspinal embryonal carcinomas | C700-C729 C751-C753 | 9070 9072
074 | Intracranial and intraspinal yolk sac tumor | C700-C729 C751-C753 | 9071
075 | Intracranial and intraspinal choriocarcinoma | C700-C729 C751-C753 | 9100
076 | Intracranial and intraspinal tumors of mixed forms | C700-C729 C751-C753 | 9085 9101
077 | Malignant germinomas of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9060-9065
078 | Malignant teratomas of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9080-9084
079 | Embryonal carcinomas of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9070 9072
080 | Yolk sac tumor of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9071
081 | Choriocarcinomas of extracranial and extragonadal sites | C000-C559 C570-C619 C630-C699
  C739-C750 C754-C768 C809 | 9100 9103 9104
082 | Other and unspecified malignant mixed germ cell tumors of extracranial and extragonadal sites
  | C000-C559 C570-C619 C630-C699 C739-C750 C754-C768 C809 | 9085 9101 9102 9105
083 | Malignant gonadal germinomas | C569 C620-C629 | 9060-9065
084 | Malignant gonadal teratomas | C569 C620-C629 | 9080-9084 9090 9091
085 | Gonadal embryonal carcinomas | C569 C620-C629 | 9070 9072
086 | Gonadal yolk sac tumor | C569 C620-C629 | 9071
087 | Gonadal choriocarcinoma | C569 C620-C629 | 9100
088 | Malignant gonadal tumors of mixed forms | C569 C620-C629 | 9085 9101
089 | Malignant gonadal gonadoblastoma | C569 C620-C629 | 9073
090 | Gonadal carcinomas | C569 C620-C629 | 8010-8041 8050-8075 8082 8120-8122 8130-8141 8143
  8190-8201 8210 8211 8221-8241 8244-8246 8260-8263 8290 8310 8313 8320 8323 8380-8384 8430 8440
  8480-8490 8504 8510 8550 8560-8573 9000 9014 9015
090 | Gonadal carcinomas | C000-C809 | 8441-8444 8450 8451 8460-8473
091 | Other and unspecified malignant gonadal tumors | C000-C809 | 8590-8671
091 | Other and unspecified malignant gonadal tumors | C569 C620-C629 | 8000-8005
092 | Adrenocortical carcinomas | C000-C809 | 8370-8375
093 | Thyroid carcinomas | C739 | 8010-8041 8050-8075 8082 8120-8122 8130-8141 8190 8200 8201 8211
  8230 8231 8244-8246 8260-8263 8290 8310 8320 8323 8430 8440 8480 8481 8510 8560-8573
093 | Thyroid carcinomas | C000-C809 | 8330-8337 8340-8347 8350
094 | Nasopharyngeal carcinomas | C110-C119 | 8010-8041 8050-8075 8082 8083 8120-8122 8130-8141 8190
  8200 8201 8211 8230 8231 8244-8246 8260-8263 8290 8310 8320 8323 8430 8440 8480 8481 8500-8576
095 | Malignant melanomas | C000-C809 | 8720-8780 8790
096 | Skin carcinomas | C440-C449 | 8010-8041 8050-8075 8078 8082 8090-8110 8140 8143 8147 8190 8200
  8240 8246 8247 8260 8310 8320 8323 8390-8420 8430 8480 8542 8560 8570-8573 8940 8941
097 | Carcinomas of salivary glands | C079-C089 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030
098 | Carcinomas of colon and rectum | C180 C182-C189 C199 C209 C210-C218 | 8010-8084 8120-8157
  8190-8264 8290 8310 8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589
  8940 8941 8983 9000 9010-9016 9020 9030
099 | Carcinomas of appendix | C181 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325
  8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030
100 | Carcinomas of lung | C340-C349 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325
  8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030
101 | Carcinomas of thymus | C379 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325 8360
  8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030
102 | Carcinomas of breast | C500-C509 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325
  8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030
103 | Carcinomas of cervix uteri | C530-C539 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030
104 | Carcinomas of bladder | C670-C679 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315
  8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016
  9020 9030
105 | Carcinomas of eye | C690-C699 | 8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325
  8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030
106 | Carcinomas of other specified sites | C000-C069 C090-C109 C129-C179 C239-C339 C380-C399
  C480-C488 C510-C529 C540-C549 C559 C570-C619 C630-C639 C659-C669 C680-C689 C700-C729 C750-C759 |
  8010-8084 8120-8157 8190-8264 8290 8310 8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454
  8480-8586 8588-8589 8940 8941 8983 9000 9010-9016 9020 9030
107 | Carcinomas of unspecified site | C760-C768 C809 | 8010-8084 8120-8157 8190-8264 8290 8310
  8313-8315 8320-8325 8360 8380-8384 8430-8440 8452-8454 8480-8586 8588-8589 8940 8941 8983 9000
  9010-9016 9020 9030
108 | Gastrointestinal stromal tumor | C000-C809 | 8936
109 | Pancreatoblastoma | C000-C809 | 8971
110 | Pulmonary blastoma and pleuropulmonary blastoma | C000-C809 | 8972 8973
111 | Other complex mixed and stromal neoplasms | C000-C809 | 8930-8935 8950 8951 8974-8981
112 | Mesothelioma | C000-C809 | 9050-9055
113 | Other specified malignant tumors | C000-C809 | 9110
113 | Other specified malignant tumors | C000-C399 C470-C759 | 9363
114 | Other unspecified malignant tumors | C000-C218 C239-C399 C420-C559 C570-C619 C630-C639
  C659-C699 C739-C750 C754-C809 | 8000-8005
`
