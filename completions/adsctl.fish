# Completion for fish. Made by: adsctl completion fish
# Everything but ids is known here, so that no program is started.

function __adsctl_inside
    switch "$argv[1]"
    case ''
        printf '%s\t%s\n' 'accounts' 'Advertising accounts' 'line-items' 'Line items: who sees which ad, when and for how much' 'audiences' 'Audiences: who ads are for, and who not' 'cards' 'Cards: what a post shows below its text' 'media' 'Images, GIFs and videos' 'posts' 'Posts made for an advertiser' 'auth' 'Sign in and out, and look after tokens' 'profile' 'Addresses and defaults, by name' 'webhooks' 'Where the service delivers events' 'catalog' 'The product catalog and its product sets' 'products' 'Product feeds: check, push, pull, list and delete products' 'jobs' 'Pushes that ran, and how to go on with those that did not end' 'emulator' 'The whole service on this machine, to try and to test' 'api' 'Send any signed request, for what no command does' 'completion' 'Print the completion script of a shell: bash, zsh, fish or powershell' 'help' 'Explain options, formats, exit-codes, environment or files'
    case 'accounts'
        printf '%s\t%s\n' 'features' 'What an account may use' 'curated-categories' 'Videos to advertise with, by subject' 'list' 'List the advertising accounts you may work in' 'get' 'Show one advertising account' 'create' 'Create an account in the sandbox' 'update' 'Change the name or the industry of an account' 'delete' 'Delete an account of the sandbox' 'apps' 'List the apps of an account' 'history' 'List changes in an account, when and by whom' 'business-categories' 'List the kinds of business there are'
    case 'accounts features'
        printf '%s\t%s\n' 'list' 'List the features that an account may use' 'add' 'Give features to an account of the sandbox'
    case 'accounts curated-categories'
        printf '%s\t%s\n' 'list' 'List curated categories, each with the countries where it is available' 'get' 'Show one curated category'
    case 'line-items'
        printf '%s\t%s\n' 'curated-categories' 'The curated categories of line items' 'update' 'Change a line item; what is not given stays as it is' 'delete' 'Delete a line item for good'
    case 'line-items curated-categories'
        printf '%s\t%s\n' 'list' 'List which line items are shown with which curated categories' 'get' 'Show one choice of a curated category for a line item' 'add' 'Show a line item with a curated category' 'update' 'Change the curated category or the line item of a choice' 'delete' 'Show a line item with a curated category no longer'
    case 'audiences'
        printf '%s\t%s\n' 'permissions' 'The accounts that an audience is shared with' 'do-not-reach' 'Lists of people who see no ads' 'keywords' 'Show how often keywords are posted, and keywords related to them' 'targeted' 'List the campaigns and line items that target an audience' 'push' 'Send a list of people to a custom audience, hashed here' 'check' 'Check a list of people, offline: what is wrong, and how many identifiers there are of each kind' 'hash' 'Write a list of people with every identifier hashed, so that no other machine sees them raw'
    case 'audiences permissions'
        printf '%s\t%s\n' 'list' 'List the accounts that an audience is shared with' 'grant' 'Share an audience with another account' 'revoke' 'Share an audience with an account no longer'
    case 'audiences do-not-reach'
        printf '%s\t%s\n' 'delete' 'Delete a list of people who see no ads' 'push' 'Send a list of people who are not to be reached, by e-mail and phone number, hashed here'
    case 'cards'
        printf '%s\t%s\n' 'poll' 'Poll cards' 'video-conversation' 'Video conversation cards: a video and hashtags' 'image-conversation' 'Image conversation cards, an older kind' 'list' 'List the cards that were made of components' 'get' 'Show one card' 'create' 'Create a card of components, or a carousel of slides' 'update' 'Replace the fields of a card that are given'
    case 'cards poll'
        printf '%s\t%s\n' 'list' 'List poll cards' 'get' 'Show one poll card' 'create' 'Create a poll card, which cannot be updated afterwards'
    case 'cards video-conversation'
        printf '%s\t%s\n' 'list' 'List video conversation cards' 'get' 'Show one video conversation card' 'create' 'Create a video conversation card: a video with hashtags to take up' 'update' 'Change the fields of a video conversation card that are given'
    case 'cards image-conversation'
        printf '%s\t%s\n' 'delete' 'Delete an image conversation card, which is an older kind of card'
    case 'media'
        printf '%s\t%s\n' 'account' 'The media that ads of the account show' 'library' 'The library of what was uploaded'
    case 'media account'
        printf '%s\t%s\n' 'list' 'List the media that ads of the account show' 'get' 'Show one of the media that ads of the account show' 'delete' 'Delete one of the media that ads of the account show'
    case 'media library'
        printf '%s\t%s\n' 'list' 'List the media library' 'get' 'Show one thing of the media library' 'add' 'Add uploaded media to the media library' 'update' 'Change what is told of media in the library' 'delete' 'Delete media from the media library'
    case 'posts'
        printf '%s\t%s\n' 'create' 'Create a post for an advertiser' 'rename' 'Give a post another name'
    case 'auth'
        printf '%s\t%s\n' 'bearer' 'The bearer token of the app' 'login' 'Sign in with a browser and a PIN' 'logout' 'Revoke the stored token, and remove it' 'status' 'Say who is signed in, and where' 'token' 'Print the token; nothing else ever does'
    case 'auth bearer'
        printf '%s\t%s\n' 'issue' 'Ask for the app\'s bearer token, and keep it; auth token --bearer prints it' 'revoke' 'Revoke the app\'s bearer token; the next one is another'
    case 'profile'
        printf '%s\t%s\n' 'list' 'List the profiles; * marks the one in use' 'show' 'Show the settings in force, wherever they come from; never a secret' 'use' 'Make a profile the default' 'set' 'Set values of a profile; KEY= takes one away' 'remove' 'Remove a profile, with the secrets that are stored for it'
    case 'webhooks'
        printf '%s\t%s\n' 'create' 'Register an address that events are delivered to'
    case 'catalog'
        printf '%s\t%s\n' 'sets' 'Product sets: the products that an ad shows' 'list' 'List your product catalogs' 'create' 'Create your product catalog' 'rename' 'Give a product catalog another name' 'delete' 'Delete a product catalog for good'
    case 'catalog sets'
        printf '%s\t%s\n' 'get' 'Show one product set' 'create' 'Create a product set, by hand (MANUAL) or by conditions (FILTERED)'
    case 'products'
        printf '%s\t%s\n' 'list' 'List the products of a catalog' 'push' 'Create and update products from a file' 'check' 'Check a product feed, offline, and send nothing' 'pull' 'Write the products of a catalog to a file that push takes back' 'delete' 'Delete products, for good; it asks before it does'
    case 'jobs'
        printf '%s\t%s\n' 'list' 'List the pushes that ran on this machine, oldest first' 'show' 'Show one push, and what became of its rows' 'clean' 'Remove the journals of pushes that reached their end'
    case 'emulator'
        printf '%s\t%s\n' 'serve' 'Serve the emulator on this machine, until it is stopped' 'exec' 'Run a command with an emulator of its own' 'env' 'Print the variables that point adsctl to a served emulator, for eval in a shell' 'audiences' 'Count the people in the emulator\'s audiences and do-not-reach lists' 'reset' 'Throw the emulator\'s world away; the next use begins with a new one'
    end
end

function __adsctl_options
    switch "$argv[1]"
    case ''
        printf '%s\t%s\n' '--version' 'Show the version'
    case 'accounts features list'
        printf '%s\t%s\n' '--feature-keys' 'Only these One of REACH_AND_FREQUENCY_ANALYTICS, REACH_FREQUENCY_CAP, WEBSITE_CLICKS_CPM_BILLING' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts features add'
        printf '%s\t%s\n' '--feature-keys' 'Names of features (such as AGE_TARGETING, AWARENESS_OBJECTIVE, CONVERSATION_CARD, CPI_CHARGING, ENGAGER_RETARGETING, PREROLL_VIEWS_OBJECTIVE, REACH_FREQUENCY_CAP, VIDEO_APP_DOWNLOAD_CARD)' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts curated-categories list'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts curated-categories get'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts list'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--with-deleted' 'Show deleted records too' '--account-ids' 'Only these, separated by commas (at most 200 items)' '--q' 'Only names that begin with this' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'accounts get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts create'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts update'
        printf '%s\t%s\n' '--name' '' '--industry-type' 'One of AGENCY, BUSINESS_TO_BUSINESS, ONLINE_SERVICES, EDUCATION, FINANCIAL, HEALTH, GOVERNMENT, MEDIA, MOBILE, RESTAURANT, RETAIL, TECHNOLOGY, TRAVEL, OTHER' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'accounts apps'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'accounts history'
        printf '%s\t%s\n' '--entity-type' 'One of CAMPAIGN, LINE_ITEM, PROMOTED_POST, TARGETING_CRITERIA, PROMOTED_ACCOUNT' '--entity-id' 'an id, without / ? # % and control characters' '--start-time' 'Changes from this whole hour on (ISO 8601 with an offset, as 2026-03-01T08:00:00Z)' '--end-time' 'Changes before this whole hour (ISO 8601 with an offset, as 2026-03-01T08:00:00Z)' '--user-id' 'Only changes by this user' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'accounts business-categories'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'line-items curated-categories list'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'line-items curated-categories get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'line-items curated-categories add'
        printf '%s\t%s\n' '--line-item-id' 'an id, without / ? # % and control characters' '--curated-category-id' 'an id, without / ? # % and control characters' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'line-items curated-categories update'
        printf '%s\t%s\n' '--curated-category-id' 'an id, without / ? # % and control characters' '--line-item-id' 'an id, without / ? # % and control characters' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'line-items curated-categories delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'line-items update'
        printf '%s\t%s\n' '--name' '' '--entity-status' '' '--bid-strategy' '' '--bid-amount-local-micro' 'Millionths of the currency\'s unit (more than 0)' '--bid-amount' 'The same in whole units, as in 1.50, in place of --bid-amount-local-micro' '--total-budget-amount-local-micro' 'Millionths of the currency\'s unit' '--total-budget-amount' 'The same in whole units, as in 1.50, in place of --total-budget-amount-local-micro' '--daily-budget-amount-local-micro' 'Millionths of the currency\'s unit' '--daily-budget-amount' 'The same in whole units, as in 1.50, in place of --daily-budget-amount-local-micro' '--goal' 'One of APP_CLICKS, APP_INSTALLS, APP_PURCHASES, ENGAGEMENT, FOLLOWERS, LINK_CLICKS, MAX_REACH, PREROLL, PREROLL_STARTS, REACH_WITH_ENGAGEMENT, VIDEO_VIEW, VIEW_3S_100PCT, VIEW_6S, VIEW_15S, WEBSITE_CONVERSIONS' '--pay-by' 'For objective APP_INSTALLS' '--audience-expansion' '' '--frequency-cap' 'For objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS' '--duration-in-days' '' '--start-time' 'ISO 8601 with an offset, as 2026-03-01T08:00:00Z' '--end-time' 'ISO 8601 with an offset, as 2026-03-01T08:00:00Z' '--advertiser-domain' '' '--advertiser-user-id' 'an id, without / ? # % and control characters' '--categories' 'IAB codes: see accounts business-categories' '--android-app-store-identifier' '' '--ios-app-store-identifier' '' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'line-items delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'audiences permissions list'
        printf '%s\t%s\n' '--audience' 'The audience, of your own account (an id, without / ? # % and control characters)' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--granted-account-ids' 'Only these, separated by commas (at most 200 items)' '--tailored-audience-permission-ids' 'Only these, separated by commas (at most 200 items)' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'audiences permissions grant'
        printf '%s\t%s\n' '--audience' 'The audience, of your own account (an id, without / ? # % and control characters)' '--granted-account-id' 'The account to share it with (an id, without / ? # % and control characters)' '--permission-level' '' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'audiences permissions revoke'
        printf '%s\t%s\n' '--audience' 'The audience, of your own account (an id, without / ? # % and control characters)' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'audiences do-not-reach delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'audiences do-not-reach push'
        printf '%s\t%s\n' '--list' 'The do-not-reach list' '--operation' 'Add people, or take them away' '--expires-at' 'Until when (default: 13 months)' '--region' 'Country of national phone numbers, as in DE' '--users-per-operation' 'At most (default: as fit)' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--concurrency' 'Requests at once, at most' '--skip-invalid' 'Send the valid rows, and end with 9' '--failed-out' 'Write refused rows here, with _line and _error' '--max-errors' 'Stop after N refused rows' '--resume' 'Go on with the last push of this file that did not end' '--job' 'Go on with this job'
    case 'audiences keywords'
        printf '%s\t%s\n' '--keywords' 'Posts with any of these; with negative_keywords, at most 10' '--granularity' 'What a number of post_volume counts' '--start-time' 'At most 7 days before the end (ISO 8601 with an offset, as 2026-03-01T08:00:00Z)' '--end-time' 'Where to stop (ISO 8601 with an offset, as 2026-03-01T08:00:00Z, default now)' '--location' 'One country, as a targeting value' '--negative-keywords' 'Without posts with any of these' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'audiences targeted'
        printf '%s\t%s\n' '--with-active' 'Only line items that can be served (default yes)' '--no-with-active' 'Only line items that can be served (default yes)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'audiences push'
        printf '%s\t%s\n' '--audience' 'The custom audience' '--operation' 'Add people, or take them away' '--effective-at' 'From when on (default: now)' '--expires-at' 'Until when (default: 13 months)' '--region' 'Country of national phone numbers, as in DE' '--users-per-operation' 'At most (default: as fit)' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--concurrency' 'Requests at once, at most' '--skip-invalid' 'Send the valid rows, and end with 9' '--failed-out' 'Write refused rows here, with _line and _error' '--max-errors' 'Stop after N refused rows' '--resume' 'Go on with the last push of this file that did not end' '--job' 'Go on with this job'
    case 'audiences check'
        printf '%s\t%s\n' '--region' 'Country of national phone numbers, as in DE' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--failed-out' 'Write refused rows here, with _line and _error'
    case 'audiences hash'
        printf '%s\t%s\n' '--region' 'Country of national phone numbers, as in DE' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--skip-invalid' 'Write the valid rows, and end with 9' '--failed-out' 'Write refused rows here, with _line and _error'
    case 'cards poll list'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--with-deleted' 'Show deleted records too' '--card-ids' 'Only these, separated by commas (at most 200 items)' '--q' 'Only names that begin with this, in any case' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'cards poll get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards poll create'
        printf '%s\t%s\n' '--name' '' '--duration-in-minutes' 'How long the poll runs, in minutes (5 to 10080)' '--first-choice' 'at most 25 characters' '--second-choice' 'at most 25 characters' '--third-choice' 'at most 25 characters' '--fourth-choice' 'at most 25 characters' '--media-key' 'A video, or an image of 1.91:1 and 800 px or wider, from the media library (an id, without / ? # % and control characters)' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards video-conversation list'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--with-deleted' 'Show deleted records too' '--card-ids' 'Only these, separated by commas (at most 200 items)' '--q' 'Only names that begin with this, in any case' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'cards video-conversation get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards video-conversation create'
        printf '%s\t%s\n' '--name' '' '--media-key' 'A 16:9 video from the media library (an id, without / ? # % and control characters)' '--first-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--first-cta-tweet' 'The text of a post that takes up this call' '--thank-you-text' 'at most 23 characters' '--title' 'at most 23 characters' '--second-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--second-cta-tweet' 'The text of a post that takes up this call' '--third-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--third-cta-tweet' 'The text of a post that takes up this call' '--fourth-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--fourth-cta-tweet' 'The text of a post that takes up this call' '--poster-media-key' 'an id, without / ? # % and control characters' '--thank-you-url' '' '--unlocked-image-media-key' 'an id, without / ? # % and control characters' '--unlocked-video-media-key' 'an id, without / ? # % and control characters' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards video-conversation update'
        printf '%s\t%s\n' '--title' 'at most 23 characters' '--second-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--second-cta-tweet' 'The text of a post that takes up this call' '--third-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--third-cta-tweet' 'The text of a post that takes up this call' '--fourth-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--fourth-cta-tweet' 'The text of a post that takes up this call' '--poster-media-key' 'an id, without / ? # % and control characters' '--thank-you-url' '' '--unlocked-image-media-key' 'an id, without / ? # % and control characters' '--unlocked-video-media-key' 'an id, without / ? # % and control characters' '--name' '' '--media-key' 'A 16:9 video from the media library (an id, without / ? # % and control characters)' '--first-cta' 'The hashtag of a call to action (1 to 20 characters, a leading # not counted)' '--first-cta-tweet' 'The text of a post that takes up this call' '--thank-you-text' 'at most 23 characters' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards image-conversation delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards list'
        printf '%s\t%s\n' '--card-types' 'Only these types One of IMAGE_APP, IMAGE_CAROUSEL_APP, IMAGE_CAROUSEL_WEBSITE, IMAGE_MULTI_DEST_CAROUSEL_WEBSITE, IMAGE_WEBSITE, MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE, MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP, MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE, VIDEO_APP, VIDEO_CAROUSEL_APP, VIDEO_CAROUSEL_WEBSITE, VIDEO_MULTI_DEST_CAROUSEL_WEBSITE, VIDEO_WEBSITE' '--card-id' 'Only these, separated by commas (at most 200 items)' '--card-uris' 'Only these, separated by commas (at most 200 items)' '--include-legacy-cards' 'List the older kinds of cards too' '--q' 'Only names that begin with this, in any case (at most 80 characters)' '--count' 'Records on a page (1 to 200, default 100)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'cards get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards create'
        printf '%s\t%s\n' '--name' 'at most 80 characters' '--components' 'A MEDIA or SWIPEABLE_MEDIA and a DETAILS or BUTTON, from the top down' '--slides' 'Slides of a carousel, each a list of components; order matters' '--file' 'Take fields from a YAML or JSON file, or - for standard input; options outrank it' '--example' 'Print such a file to start from' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'cards update'
        printf '%s\t%s\n' '--components' 'A MEDIA or SWIPEABLE_MEDIA and a DETAILS or BUTTON, from the top down' '--slides' 'Slides of a carousel, each a list of components; order matters' '--name' 'at most 80 characters' '--file' 'Take fields from a YAML or JSON file, or - for standard input; options outrank it' '--example' 'Print such a file to start from' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'media account list'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-total-count' 'Count all records too; not with a cursor' '--with-deleted' 'Show deleted records too' '--account-media-ids' 'Only these, separated by commas (at most 200 items)' '--creative-types' 'Only these types One of BANNER, BANNER_TABLET, INTERSTITIAL, INTERSTITIAL_LANDSCAPE, INTERSTITIAL_LANDSCAPE_TABLET, INTERSTITIAL_TABLET, MEDIUM_RECTANGLE, PREROLL, VAST_PREROLL' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'media account get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'media account delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'media library list'
        printf '%s\t%s\n' '--media-type' '' '--q' 'Words to find in name, title, file_name and description (at most 255 characters)' '--count' 'Records on a page (1 to 50, default 20)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'media library get'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'media library add'
        printf '%s\t%s\n' '--media-key' 'What the upload answered (an id, without / ? # % and control characters)' '--name' 'at most 100 characters' '--file-name' 'at most 255 characters' '--title' 'For videos only (at most 70 characters)' '--description' 'For videos only (at most 200 characters)' '--poster-media-key' 'An image, for videos only (an id, without / ? # % and control characters, default the first frame)' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'media library update'
        printf '%s\t%s\n' '--name' 'at most 100 characters' '--file-name' 'at most 255 characters' '--title' 'For videos only (at most 70 characters)' '--description' 'For videos only (at most 200 characters)' '--poster-media-key' 'An image, for videos only (an id, without / ? # % and control characters, default the first frame)' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'media library delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'posts create'
        printf '%s\t%s\n' '--as-user-id' 'The user whose post it is' '--text' 'Required without media_keys' '--media-keys' 'Images, or 1 GIF, or 1 video, from the media library (at most 4 items)' '--card-uri' 'card:// and the id of a card' '--name' 'at most 80 characters' '--nullcast' 'Show it only where it is promoted (default yes)' '--no-nullcast' 'Show it only where it is promoted (default yes)' '--conversation-settings' 'Who may reply (default EVERYONE)' '--trim-user' 'Tell the author\'s id alone' '--post-mode' '' '--video-title' 'at most 70 characters' '--video-description' 'at most 200 characters' '--video-cta' '' '--video-cta-value' 'Where the video\'s call leads' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'posts rename'
        printf '%s\t%s\n' '--name' 'at most 80 characters' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'auth login'
        printf '%s\t%s\n' '--no-browser' 'Print the address of the page' '--callback' 'Listen on this registered loopback address, without a PIN' '--authenticate' 'Do not ask again who said yes before (with --callback)' '--access' 'Ask for less than the app may do' '--force-login' 'Have the page ask who you are' '--screen-name' 'The name the page suggests' '--token-store' 'Where tokens are kept'
    case 'auth token'
        printf '%s\t%s\n' '--bearer' 'The app\'s bearer token'
    case 'profile show'
        printf '%s\t%s\n' '--show-origin' 'Say where values come from'
    case 'webhooks create'
        printf '%s\t%s\n' '--as' 'Default: user, where signed in'
    case 'catalog sets get'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog sets create'
        printf '%s\t%s\n' '--name' '' '--type' '' '--description' '' '--filters' 'Conditions of a FILTERED set: attribute, operator and value' '--product-keys' 'Members of a MANUAL set, separated by commas' '--file' 'Take fields from a YAML or JSON file, or - for standard input; options outrank it' '--example' 'Print such a file to start from' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog list'
        printf '%s\t%s\n' '--user-id' 'The user who owns it' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog create'
        printf '%s\t%s\n' '--name' '' '--user-id' 'The user who owns it' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog rename'
        printf '%s\t%s\n' '--name' '' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'products list'
        printf '%s\t%s\n' '--item-group-key' 'Only the products of this group' '--count' 'Records on a page (1 to 100, default 100)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'products push'
        printf '%s\t%s\n' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--concurrency' 'Requests at once, at most' '--skip-invalid' 'Send the valid rows, and end with 9' '--failed-out' 'Write refused rows here, with _line and _error' '--max-errors' 'Stop after N refused rows' '--resume' 'Go on with the last push of this file that did not end' '--job' 'Go on with this job' '--changed' 'Send only rows that differ from what the service last acknowledged' '--verify' 'With --changed: list the catalog first, and send what is missing or different there too'
    case 'products check'
        printf '%s\t%s\n' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--failed-out' 'Write refused rows here, with _line and _error'
    case 'products pull'
        printf '%s\t%s\n' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension; csv without FILE)'
    case 'products delete'
        printf '%s\t%s\n' '--from' 'A file with a column product_key, or a key on each line' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--concurrency' 'Requests at once, at most' '--failed-out' 'Write refused rows here, with _line and _error' '--max-errors' 'Stop after N refused rows' '--resume' 'Go on with the last push of this file that did not end'
    case 'jobs clean'
        printf '%s\t%s\n' '--all' 'Unfinished jobs too; they cannot be resumed then'
    case 'emulator serve'
        printf '%s\t%s\n' '--port' 'Port to listen on; 0 takes a free one' '--host' 'Loopback address to listen on' '--fault' 'As in \'PUT /12/product_catalogs/* status=503 rate=0.2\'; repeatable' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator exec'
        printf '%s\t%s\n' '--fault' 'As in \'PUT /12/product_catalogs/* status=503 rate=0.2\'; repeatable' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator env'
        printf '%s\t%s\n' '--port' 'Port to listen on; 0 takes a free one' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator audiences'
        printf '%s\t%s\n' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator reset'
        printf '%s\t%s\n' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'api'
        printf '%s\t%s\n' '--input' 'The body; - reads standard input' '--base' 'Which address it goes to' '--paginate' 'Follow the pages of a list' '--envelope' 'Show the whole response, not only its data' '--as-curl' 'Print it for curl, secrets masked, and send nothing'
    end
end

function __adsctl_takes
    switch "$argv[1]"
    case 'accounts features list:--feature-keys' 'accounts list:--count' 'accounts list:--cursor' 'accounts list:--sort-by' 'accounts list:--account-ids' 'accounts list:--q' 'accounts list:--limit' 'accounts update:--name' 'accounts apps:--count' 'accounts apps:--cursor' 'accounts apps:--sort-by' 'accounts apps:--limit' 'accounts history:--entity-id' 'accounts history:--start-time' 'accounts history:--end-time' 'accounts history:--user-id' 'accounts history:--count' 'accounts history:--cursor' 'accounts history:--limit' 'line-items curated-categories list:--count' 'line-items curated-categories list:--cursor' 'line-items curated-categories list:--sort-by' 'line-items curated-categories list:--limit' 'line-items curated-categories add:--line-item-id' 'line-items curated-categories add:--curated-category-id' 'line-items curated-categories update:--curated-category-id' 'line-items curated-categories update:--line-item-id' 'line-items update:--name' 'line-items update:--bid-amount-local-micro' 'line-items update:--bid-amount' 'line-items update:--total-budget-amount-local-micro' 'line-items update:--total-budget-amount' 'line-items update:--daily-budget-amount-local-micro' 'line-items update:--daily-budget-amount' 'line-items update:--frequency-cap' 'line-items update:--start-time' 'line-items update:--end-time' 'line-items update:--advertiser-domain' 'line-items update:--advertiser-user-id' 'line-items update:--categories' 'line-items update:--android-app-store-identifier' 'line-items update:--ios-app-store-identifier' 'audiences permissions list:--audience' 'audiences permissions list:--count' 'audiences permissions list:--cursor' 'audiences permissions list:--sort-by' 'audiences permissions list:--granted-account-ids' 'audiences permissions list:--tailored-audience-permission-ids' 'audiences permissions list:--limit' 'audiences permissions grant:--audience' 'audiences permissions grant:--granted-account-id' 'audiences permissions revoke:--audience' 'audiences do-not-reach push:--list' 'audiences do-not-reach push:--expires-at' 'audiences do-not-reach push:--region' 'audiences do-not-reach push:--users-per-operation' 'audiences do-not-reach push:--format' 'audiences do-not-reach push:--encoding' 'audiences do-not-reach push:--map' 'audiences do-not-reach push:--concurrency' 'audiences do-not-reach push:--max-errors' 'audiences keywords:--keywords' 'audiences keywords:--start-time' 'audiences keywords:--end-time' 'audiences keywords:--location' 'audiences keywords:--negative-keywords' 'audiences targeted:--cursor' 'audiences targeted:--limit' 'audiences push:--audience' 'audiences push:--effective-at' 'audiences push:--expires-at' 'audiences push:--region' 'audiences push:--users-per-operation' 'audiences push:--format' 'audiences push:--encoding' 'audiences push:--map' 'audiences push:--concurrency' 'audiences push:--max-errors' 'audiences check:--region' 'audiences check:--format' 'audiences check:--encoding' 'audiences check:--map' 'audiences hash:--region' 'audiences hash:--format' 'audiences hash:--encoding' 'audiences hash:--map' 'audiences hash:1' 'cards poll list:--count' 'cards poll list:--cursor' 'cards poll list:--sort-by' 'cards poll list:--card-ids' 'cards poll list:--q' 'cards poll list:--limit' 'cards poll create:--name' 'cards poll create:--duration-in-minutes' 'cards poll create:--first-choice' 'cards poll create:--second-choice' 'cards poll create:--third-choice' 'cards poll create:--fourth-choice' 'cards poll create:--media-key' 'cards video-conversation list:--count' 'cards video-conversation list:--cursor' 'cards video-conversation list:--sort-by' 'cards video-conversation list:--card-ids' 'cards video-conversation list:--q' 'cards video-conversation list:--limit' 'cards video-conversation create:--name' 'cards video-conversation create:--media-key' 'cards video-conversation create:--first-cta' 'cards video-conversation create:--first-cta-tweet' 'cards video-conversation create:--thank-you-text' 'cards video-conversation create:--title' 'cards video-conversation create:--second-cta' 'cards video-conversation create:--second-cta-tweet' 'cards video-conversation create:--third-cta' 'cards video-conversation create:--third-cta-tweet' 'cards video-conversation create:--fourth-cta' 'cards video-conversation create:--fourth-cta-tweet' 'cards video-conversation create:--poster-media-key' 'cards video-conversation create:--thank-you-url' 'cards video-conversation create:--unlocked-image-media-key' 'cards video-conversation create:--unlocked-video-media-key' 'cards video-conversation update:--title' 'cards video-conversation update:--second-cta' 'cards video-conversation update:--second-cta-tweet' 'cards video-conversation update:--third-cta' 'cards video-conversation update:--third-cta-tweet' 'cards video-conversation update:--fourth-cta' 'cards video-conversation update:--fourth-cta-tweet' 'cards video-conversation update:--poster-media-key' 'cards video-conversation update:--thank-you-url' 'cards video-conversation update:--unlocked-image-media-key' 'cards video-conversation update:--unlocked-video-media-key' 'cards video-conversation update:--name' 'cards video-conversation update:--media-key' 'cards video-conversation update:--first-cta' 'cards video-conversation update:--first-cta-tweet' 'cards video-conversation update:--thank-you-text' 'cards list:--card-types' 'cards list:--card-id' 'cards list:--card-uris' 'cards list:--q' 'cards list:--count' 'cards list:--cursor' 'cards list:--sort-by' 'cards list:--limit' 'cards create:--name' 'cards update:--name' 'media account list:--count' 'media account list:--cursor' 'media account list:--sort-by' 'media account list:--account-media-ids' 'media account list:--creative-types' 'media account list:--limit' 'media library list:--q' 'media library list:--count' 'media library list:--cursor' 'media library list:--limit' 'media library add:--media-key' 'media library add:--name' 'media library add:--file-name' 'media library add:--title' 'media library add:--description' 'media library add:--poster-media-key' 'media library update:--name' 'media library update:--file-name' 'media library update:--title' 'media library update:--description' 'media library update:--poster-media-key' 'posts create:--as-user-id' 'posts create:--text' 'posts create:--media-keys' 'posts create:--card-uri' 'posts create:--name' 'posts create:--video-title' 'posts create:--video-description' 'posts create:--video-cta-value' 'posts rename:--name' 'auth login:--callback' 'auth login:--screen-name' 'profile show:0' 'profile set:+' 'webhooks create:0' 'catalog sets create:--name' 'catalog sets create:--description' 'catalog sets create:--product-keys' 'catalog list:--user-id' 'catalog create:--name' 'catalog create:--user-id' 'catalog rename:--name' 'products list:--item-group-key' 'products list:--count' 'products list:--cursor' 'products list:--limit' 'products push:--format' 'products push:--encoding' 'products push:--map' 'products push:--concurrency' 'products push:--max-errors' 'products check:--format' 'products check:--encoding' 'products check:--map' 'products pull:--format' 'products delete:--format' 'products delete:--concurrency' 'products delete:--max-errors' 'products delete:+' 'emulator serve:--port' 'emulator serve:--host' 'emulator serve:--fault' 'emulator exec:--fault' 'emulator exec:+' 'emulator env:--port' 'api:-f' 'api:-F' 'api:-H' 'api:0' 'api:1' 'help:0' '*:--columns' '*:--query' '*:--timeout' '*:--max-attempts' '*:--max-wait'
        echo '@text'
    case 'accounts features add:--feature-keys'
        echo 'AGE_TARGETING AWARENESS_OBJECTIVE CONVERSATION_CARD CPI_CHARGING ENGAGER_RETARGETING PREROLL_VIEWS_OBJECTIVE REACH_FREQUENCY_CAP VIDEO_APP_DOWNLOAD_CARD'
    case 'accounts curated-categories get:0'
        echo '@ids:accounts curated-categories'
    case 'accounts get:0' 'accounts update:0' 'accounts delete:0' '*:--account' '*:-A'
        echo '@ids:accounts'
    case 'accounts update:--industry-type'
        echo 'AGENCY BUSINESS_TO_BUSINESS ONLINE_SERVICES EDUCATION FINANCIAL HEALTH GOVERNMENT MEDIA MOBILE RESTAURANT RETAIL TECHNOLOGY TRAVEL OTHER'
    case 'accounts history:--entity-type'
        echo 'CAMPAIGN LINE_ITEM PROMOTED_POST TARGETING_CRITERIA PROMOTED_ACCOUNT'
    case 'line-items curated-categories get:0' 'line-items curated-categories update:0' 'line-items curated-categories delete:0'
        echo '@ids:line-items curated-categories'
    case 'line-items update:--entity-status'
        echo 'ACTIVE PAUSED'
    case 'line-items update:--bid-strategy'
        echo 'AUTO MAX TARGET'
    case 'line-items update:--goal'
        echo 'APP_CLICKS APP_INSTALLS APP_PURCHASES ENGAGEMENT FOLLOWERS LINK_CLICKS MAX_REACH PREROLL PREROLL_STARTS REACH_WITH_ENGAGEMENT VIDEO_VIEW VIEW_3S_100PCT VIEW_6S VIEW_15S WEBSITE_CONVERSIONS'
    case 'line-items update:--pay-by'
        echo 'APP_CLICK IMPRESSION LINK_CLICK'
    case 'line-items update:--audience-expansion'
        echo 'BROAD DEFINED EXPANDED'
    case 'line-items update:--duration-in-days'
        echo '1 7 30'
    case 'line-items update:0' 'line-items delete:0'
        echo '@ids:line-items'
    case 'audiences permissions grant:--permission-level'
        echo 'READ_ONLY READ_WRITE'
    case 'audiences permissions revoke:0'
        echo '@ids:audiences permissions'
    case 'audiences do-not-reach delete:0'
        echo '@ids:audiences do-not-reach'
    case 'audiences do-not-reach push:--operation' 'audiences push:--operation'
        echo 'update delete'
    case 'audiences do-not-reach push:--failed-out' 'audiences do-not-reach push:0' 'audiences push:--failed-out' 'audiences push:0' 'audiences check:--failed-out' 'audiences check:0' 'audiences hash:--failed-out' 'audiences hash:0' 'cards create:--file' 'cards create:-f' 'cards update:--file' 'cards update:-f' 'catalog sets create:--file' 'catalog sets create:-f' 'products push:--failed-out' 'products push:0' 'products check:--failed-out' 'products check:0' 'products pull:0' 'products delete:--from' 'products delete:--failed-out' 'emulator serve:--database' 'emulator exec:--database' 'emulator env:--database' 'emulator audiences:--database' 'emulator reset:--database' 'api:--input' '*:--log-file'
        echo '@file'
    case 'audiences do-not-reach push:--job' 'audiences push:--job' 'products push:--job' 'jobs show:0'
        echo '@ids:jobs'
    case 'audiences keywords:--granularity'
        echo 'DAY HOUR'
    case 'audiences targeted:0'
        echo '@ids:audiences'
    case 'cards poll get:0'
        echo '@ids:cards poll'
    case 'cards video-conversation get:0' 'cards video-conversation update:0'
        echo '@ids:cards video-conversation'
    case 'cards image-conversation delete:0'
        echo '@ids:cards image-conversation'
    case 'cards get:0' 'cards update:0'
        echo '@ids:cards'
    case 'cards create:--components' 'cards create:--slides' 'cards update:--components' 'cards update:--slides' 'catalog sets create:--filters'
        echo '@json'
    case 'media account get:0' 'media account delete:0'
        echo '@ids:media account'
    case 'media library list:--media-type'
        echo 'GIF IMAGE VIDEO'
    case 'media library get:0' 'media library update:0' 'media library delete:0'
        echo '@ids:media library'
    case 'posts create:--conversation-settings'
        echo 'EVERYONE FOLLOWING MENTIONED_USERS'
    case 'posts create:--post-mode'
        echo 'compat extended'
    case 'posts create:--video-cta'
        echo 'VISIT_SITE WATCH_NOW'
    case 'posts rename:0'
        echo '@ids:posts'
    case 'auth login:--access'
        echo 'read write'
    case 'auth login:--token-store'
        echo 'keyring file'
    case 'profile use:0' 'profile set:0' 'profile remove:0' '*:--profile' '*:-p'
        echo '@ids:profiles'
    case 'webhooks create:--as'
        echo 'bearer user'
    case 'catalog sets get:0'
        echo '@ids:catalog sets'
    case 'catalog sets create:--type'
        echo 'MANUAL FILTERED'
    case 'catalog rename:0' 'catalog delete:0' '*:--catalog'
        echo '@ids:catalog'
    case 'api:--base'
        echo 'ads platform sandbox'
    case 'completion:0'
        echo 'bash zsh fish powershell'
    case '*:--output' '*:-o'
        echo 'table tsv csv json jsonl yaml ids none'
    case '*:--color'
        echo 'auto always never'
    case '*'
        return 1
    end
end

function __adsctl_common
    printf '%s\t%s\n' '--profile' 'The profile to use' '--account' 'The advertising account to work in' '--output' 'How to show results: see \'adsctl help formats\'' '--columns' 'Columns of table, tsv and csv, separated by commas' '--csv-safe' 'In csv, put \' before cells that a spreadsheet takes for formulas' '--query' 'A JMESPath expression, applied to what json would show' '--sandbox' 'Use the profile\'s sandbox address' '--yes' 'Do not ask before something is destroyed' '--dry-run' 'Show the request that would change something, and send nothing' '--quiet' 'Say nothing on stderr but errors' '--verbose' 'Say what is done, on stderr' '--debug' 'Show all HTTP on stderr, with secrets masked' '--timeout' 'Longest wait for one answer: 30s (default), 500ms, 2m' '--max-attempts' 'Most tries of one request (default 6)' '--max-wait' 'Longest wait without progress, time-outs included (default 15m)' '--log-file' 'Append what is done to a file, as JSON lines' '--color' 'Use color: auto, always or never' '--catalog' 'The product catalog to work in' '--help' 'Show what a command takes'
end

function __adsctl
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l path ''
    set -l before ''
    set -l position 0
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            set before ''
        else if test "$word" = --
            __fish_complete_path "$cur"
            return
        else if string match -q -- '--*=*' "$word"
            continue
        else if string match -q -- '-*' "$word"
            set -l takes (__adsctl_takes "$path:$word")
            if test -n "$takes"
                set skip 1
                set before "$word"
            end
        else if __adsctl_inside "$path" | string match -q -- "$word"\t'*'
            set path (string trim -- "$path $word")
        else
            set position (math $position + 1)
        end
    end
    set -l takes
    set -l given ''
    if test -n "$before"
        set takes (__adsctl_takes "$path:$before")
    else if string match -q -- '--*=*' "$cur"
        set -l option (string split -m 1 = -- "$cur")[1]
        set takes (__adsctl_takes "$path:$option")
        set given "$option="
        set cur (string split -m 1 = -- "$cur")[2]
    else if string match -q -- '-*' "$cur"
        __adsctl_options "$path"
        __adsctl_common
        return
    else if set -l inside (__adsctl_inside "$path"); and test (count $inside) -gt 0
        printf '%s\n' $inside
        return
    else
        set takes (__adsctl_takes "$path:$position"; or __adsctl_takes "$path:+")
    end
    switch "$takes"
        case @file
            printf '%s\n' $given(__fish_complete_path "$cur")
        case @json
            if string match -q -- '@*' "$cur"
                printf '%s\n' @(__fish_complete_path (string sub -s 2 -- "$cur"))
            end
        case '@ids:*'
            printf '%s\n' $given(adsctl __ids (string sub -s 6 -- "$takes") $words 2> /dev/null)
        case '@*' ''
        case '*'
            printf '%s\n' $given(string split ' ' -- "$takes")
    end
end

complete -c adsctl -f -a '(__adsctl)'
