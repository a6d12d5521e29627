package keyvalue

import "candor/safety/internal/lex"

// backLinks join a value to the name behind it: use … as the password, … is the token.
var backLinks = lex.WordSet("as is was for into in at when where works be that's it's isn't wasn't like since " +
	"als como comme come jako")

// foreignLinks are such words of other scripts.
var foreignLinks = map[string]bool{"как": true, "作为": true, "です": true}

// backSigns do so, too: … # the token, … // API_KEY, … <- the password.
var backSigns = lex.WordSet("- <- <-- # // = : / == ->")

// backGlue are words that may appear between a value and the name behind it, besides the
// words right before the name that say whose it is.
var backGlue = lex.WordSet("the a an our my your his her its their this that new old right correct current real " +
	"actual valid same own hard-coded hardcoded used to be been should must could would can with it asks asked " +
	"prompted you are looks appears seems still ever what i we use uses it goes belongs header headers request " +
	"environment config vault keychain de la le el il der die das den een")

// storeWords are of commands that read a secret from a pipe: echo … | gh secret set NAME.
var storeWords = lex.WordSet("set put add create login")

// thingWords say, in front of a value, that it is something else, besides the words that
// identify.
var thingWords = lex.WordSet("pod container image node host user account file path branch tag release line port run " +
	"job step page issue pull pr msg message event session email mail name address contract block tx transaction " +
	"customer tenant project client record row item object bucket region zone table index")

// followers may follow a name that is not a part of a longer noun.
var followers = lex.WordSet(followerWords)

// followerHeads knows the first two letters of every such word.
var followerHeads = lex.LeadingPairs(followerWords)

const followerWords = "for of in on at from and or but to by with works work worked did does do was is has had " +
	"here now again yet instead we i you they he she it that which when once if because so while please twice via " +
	"until before after everywhere only field prompt parameter header input variable value as verwenden nutzen " +
	"fixed any right used use fails failed returned returns gives gave without into then"
