package safety

// commonGrams are the trigrams of prose and code, folded: each of the first line stands
// at one place of 256 or more, each of the next at one of 512, and so on. Counted by
// safety/oracle/cmd/grams over some 100 MB of documents and sources.
var commonGrams = [...]string{
	"   *   ththe```ionhe ",
	"tioingent recom ined  coateconith to**  anonsto ",
	"or andreson ng foris ati---teres strhttestttper ver a int.cond  se://props:tpstri iss:/,* tesnteect foall***" +
		"errgitersin *)) des a of  \"typ st {*om/ = e tessthutedypehubof serre penst rindatameub.tur// b.cortreaodeope" +
		"s t no)**.**staparle  wi ex besioporse  pr* *val/gi\": ctimen",
	"e a**#(htage}(huserete s fiext paendpreontts e can  ca//gif namompwit))): \" usnote int rat maareuncat thienc" +
		"pleapiueseadd tll mpl | blecodetupti:*  * leadefderexpromnstn turnequfunche/goper 0xhisrt  arndesel **## ror" +
		"rrotineragleth *##hante  er{* aseenat t asthagooile li gomethatineitee, {*)as toroute otatrsialu only  itogl" +
		"lueoog-goistlinablele\",*add upcallatmode fasslieeve)* ienns  moclis, ultelfit acke: f terv - *``angara cht i" +
		" orinsspocat;* *- setce hers isteupden /op va alpdafro whfiltenorenceo treqere meal  iftrutexmitthoscrntseme" +
		" vedesquet soptimpn aot mative)*)rambe omme r ter tindmesom  frimentirn  do suoururetime pnaiainnalrefcri, a" +
		"t, denners**/co  }loccha*//nse neisstragen,*)///recfie ensesove  *pat ad  -cest as oeat dilesertpecantorm},*" +
		"me e lide",
	"getace\", ecolic op  rulentayou ha ty by clonee dcanch  unespge act  s lassi:**: {redde ssuson # put###:=  fu" +
		" :=ve d angeut ry pacnewlf.odu.* i-glem*threp trdinds .goe**  iatasue  #alitemsdkesc202sin yonumposargjecsse" +
		"runs.*amprip, t\"* d iappicapon, 0sedalsull sold randecropdulill but on ivenitieasdepncte ello))*go pe lowrce" +
		"rit**t000``*loge vipt nadev}**enedoc, ego/zod  |ice)//sag, sarsireby renhro lossa geoolv1.s: s ss frotjsoatu" +
		"lisct e mes.anyt cfinkeyferet etetch  c ap siumeens`**omeenvcree.*itycorr aounifitteepe htexa imrmaundcladed" +
		"regspers n oockeld*}*go-ielminaths cmpresed bbute*  ({worotoribe w*# . tberiesethgo.rve);*s wthrdis  /on.)}*" +
		"e norde `adexamarter.souhen leurctarustwheinie b rumpone uct.deancrse: u*deost**`*)/  e) {s ng toteizeonambe" +
		" spbasplaes/  datt waemalit // (2nitail(20*: **:achrouxpor, ualue leruntwilman faefi wen srelonfsubntrnilonl" +
		"treerifixcolncoerfd satceapsti shpkglend cunir i**daut)res. tal baern acou , ite*nedd fnlyd o, \"tivcy mar}* " +
		"nc gesy uecistotane u niincy t...emodlencyss  },landel |*nfiletes*t fefarr othrachecsup}*)larecketa*fu):*() " +
		"uppast v1cur posecitsocao apriignlse), m/gginshoe\":laspisialauluti sdesule-tai: 0fauns*umbsts  trte0x0r c ou" +
		"d, hemruc at# vsent wle.mainds, oa setrs/ged.schrreev/heasul0,  nuoseary`, n eclo \"t/pko.demp  awriticnonndi" +
		"rtity ildremfac*)}*| m/ohouckaobjpulyte",
	"nint rmmidk loakg.figg.gppoic //pkagy aans**fplii/otoo mixpet de gorsuilhreck buimpaorkhasd: )ifai-byton\" ta" +
		"arrai/aring.r sbje*exute===rov-clnneow (ses rn c) (oininat bondlidg a* as ptryn,  herge*/*rueblograette { bo" +
		"whixteokee-andln bs ( obken, c, wown= n }*: stel elhav|*|ighsyse. : a- `is/ew pes**a woh tdirr eake* ` ti/is" +
		"-aps:*varcasbufo-csignsit* lleausorgory: t()*o spicil inpficon:ledhodquiibuoulseeolldd uld syctor ospalecnt/" +
		"y c`gotabay t/c, bts.pi-ef  ractet: 1.1it/ `ginfer,ery evckenpu),*ffeepoaveilik ms* fea): vid da \"sx00t p, r" +
		"quakinnth scn: \"htlabopi mun\":yenf afal crams) =so sizsha \"dh at.*ar ato.or, powsnesmorwinacc.retokrra, nfoo" +
		"n fpyea h1, med saorilt bac, 'rnaardonvhintom**)al( `podi))} pes beedltion*t eo cd w', egecumurles,eroe hppe" +
		"tifs m. imapcluv/gwar { /reocurfacoud.*ed*iseheleso  fonna c, foviid ric !=utpy ieart my,  {} aue =  puintpu" +
		"natn rs dghtedillyll/rayd `ls /puad  ketiacenur /** `s!= 1.2siton-hes**/cceee nfodowythmovd rhe*imier(we ell" +
		"dic z.t {rg/ke st. ==har */uires:cifwaso/cusi `c feeam id== uthhonrie*)is eoadmertilscorigmpt =>ny eprerm.st" +
		"no velbug=> tagdon` a= sedeved/anngshic \"aflaralldsef=e:*ttr` i}, *)rme:gerle*chi 1. hr pyf enodg,  \"ppytobs" +
		"on,dit<a re.ichrap\"de wr,  ).*ark gi.*-s ul {y on p</a  0 bie`  emng*/a> hoctsrch's ))rwebeptefebseeanriaree" +
		"losd ppoi, `ecurojncloje))  20ecaa pnow  '  bctxr mutozerrnsnececlicsnve.pape\"ns.ceponcrderst2, **igo*stdy s" +
		"tacinkl br)*nt. \"ir r\")*l, ks mul puludboo:  eliarcolabrabillibegieacflors.bitse(viceloam olen.*  obetrevrva" +
		"groooknda=\"hf=\"mak cuocoinvl tisccs/.0.ddeirs blscam to is =omi.totocs\": otifygoll cubsystfirer*binnchrtsmal" +
		".pr;**r :: fsynictn `**-copmmae()iedr procr fpoldetepaducdifo rdexoffndon wxt rvid* t =nt*ufftiet` ct(o bt64" +
		"m/alauer)o: cks brt:*\"tyful jse)* abs ` {#, mn n ead dmcpsem$zo \"\"tit.*)oldurrmax.inurag i-sd fl= 0osieen*in" +
		"*cotly.asoweed,: nalese*altt)   m grn hsometipan.net n'* |  etseakta e\",-refol/* st/ \"c>;*go:rowudel r\"\"\"nsu" +
		"d eevitro?: ittpasg fnarsidt vns/ `r\"reey f sasie,*gs raiol ({#ng(ron-> f, t/isamr wcusng,hornicpplnv/ pld. " +
		"capr) d nuspt. , 1elst hexedrentog s, dmasl scov  {el a fkla",
	"neeuriike } enu /*sum.seotis ledu`.*excme.olimusmaynspefommehed/v30.0 ->l adarc (gedmem0x1 \"rn* embtoptusle," +
		"unsrd chrnt,howy bsol.  ))id m.\",d u``gse.likng\"\"st;*}s)*er`engss/tlenetor*oesr dix ici**cd llagpi ibeodor: " +
		"y dodsaniolo` titles\"greeplms belt lts* + s` einn mnex  1misnoraws})*eofm/k.0 ealsuc#  f.ae) . aixeptyus r` " +
		"ongrar/klibl --, lloo  (ntldoe/prbarem t utwo| `rmiisi  ws/a# cddiooton`/pyg ouidvaboupr.*  gimaaboabi*)crol" +
		"idasorlevio/do .zo>*<igitti: ivion dlacs) re*).tr b*im, u)   `aa,  `ta n  nrpcbscy.*`* *re  `mon qufaiocswer" +
		"te(ry.= co/v- gtec*fo*)*hosx, xt.ols026ier= \"od st_adon u, 2ouschont6: rs {dgee*)3, *)\"ashr = `dr !`. f cogr" +
		"avaftets:y fg cr*  roz.zpt \"*): cv3/exilay.er: zor), vnt(o pa tge. ovse:ketocece._reavi uie.g.ioecel ikern**" +
		"bef}: s/ppilo mxprteanva \"vt.c ..\"patobpag\"inlim= {annf icer `m-co_congtze  vihoo> {dia 0,y p \"f{#1iguen(0.1" +
		"wwwlouossemsgisgur26-n. *tye.caftped//wiatctu0)*t\",t()4,  {`201adalizves  ln gse,dk-fmtlso(ct `ev/psim  =ils" +
		"up ue.ww.nd*`re` fte.hal \"manaomaer\"a lopy` |er_/ww/ tnulilank # fula 0 * {asmragng)frargsagscacedpo va rmpi" +
		"`` _inask* tt ( \"o`*-wan: he (virely1.0n'tun o eptsddrelpublt)*/  l o.opbodnt:ue*` elon0 (s/1f._y wy `pinv0." +
		"});or(o droolli zoiff# ss h} ft**goroudsymehaue,tprts,= rst(or.ut:et(/ma sm(* snaxecic-sursoco uo fbrewaykno" +
		"o nme\" him aws f(\"gth avync) ak-globrgu't f y.md|t|rivy rechon(boub/s  ubadt\":t32h isibibrgge1)*(ingum/ c0x2" +
		"caur `\"\"*vieshilte;*eipeum iltnc(dom6-0- * af 10on)e}(oatshen` nmeela().fseinu)*}lco.gi025tco`paorrteg: b2.0" +
		"# '\"cog: -* naba berllf)lors grodnd(0}(dliafes  . srshlts= tug g\"*ue:a `l fes)ughst,t|tiewbenicy (suchwhag.o" +
		"roger-.geer:*al, {es(: 1` o*tes}(t(\"d\":rne \"e \"lbecxcec-ssis**sgatogg \"g.lorulllscleaysa dffsblicitg whilngl" +
		", get_></on_unkoid \"h (*stym/p/deougs.codyys fouo gr()cedptoasy*anmb/dsto l-10};*itoht ))tnapape* piorrr) `j" +
		"*)fabs5, cut \"nl:*`getip/set\"** cr nllarawer/esituac, ercn:*izauer</pobu**{durme,pe: 3.*sest*= mue)ls.(re `n" +
		"uplnt3yle2)*y. behetwergto-001_staphngu`}( })ziptupowi'  ct.egag `100*beeepgod* s: oickid\"seam: )` deb*.*wra" +
		"h selcu civam/m024ld:o `a m*tosmarimhtmrk 25-zatslitib*<prfotml `` $z# rtyld` ..vmt.l labe}byemicel agr. bro" +
		"zstre/* fle:-- nv etc.*tr l/baed\"{goo wtpaisaw t{#2itar ulf,)){g |s\",}*`d**pubw.gog.>*`safaismmu/ n* i {carn" +
		"ucent\"wn ir ski_na())tepebuaps`jsmac du.mah c)},oni.*<d vtp., (gex= fheytad.*fpprg. 3/r/li* rsepe \"\";*y mns," +
		"ewa))ceerxispipmea| 1*)sr g/s vis.clpeechm*ifl p*clrdsgna  v_pasat` wn vg eonm**bvoin l. f (#k tf nps 1.3{}b" +
		"  )givgua `i();peat.seds`cop>*g pligd =s.sr hf):lop \"bnt)/ s/doop 023ishciad\",st\"); -in- {ota(co: eudie(\"y* " +
		"is*, yuta tw= a/ atse/p>xtpvatusa')*//***wle_|n|e.pn\",d h))/g()<p>unn8, ian '|s/s022o-r- t**eo/i(er mbn =tfo" +
		"eys: vaity: e.sgh s ved_ed:th\"bot osrtyapabhoebherpr {eflcar',*n()teq urin*xedsrciddvaiico: mniody smi  2 (i" +
		"yinn {orf 12-bud gsso. w <all:air(),ex /mole(ce,croal/t.pte,y e `f (eirorpr/in- nt gos.nso0x3iplttyt.ehmawid" +
		"iabge\"mutorc| sadi: poraibi.islre\">rpeods.isots/} =dpoly.# ttp:sh nd.to*p tkederwh oebam if p)).glof fmagn (" +
		"ety (ca gthy6, th:wseeous()rab. *mmo*-*l ee(s*pa 1,xesa: o, is.t's>requo*ap`seet.) i= 1 (tmeotote.$on'nno",
}
